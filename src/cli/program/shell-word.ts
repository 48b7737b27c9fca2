/** A word as a person typed it in a shell: its text, and whether it has a quote in it. Nothing is expanded. */
export function unquoted(word: string): { text: string; isQuoted: boolean } {
  let text = '';
  let quote = '';
  let isQuoted = false;
  for (let at = 0; at < word.length; at += 1) {
    const character = word.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      text += word.charAt(at);
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      isQuoted = true;
    } else if (character === quote) quote = '';
    else text += character;
  }
  return { text, isQuoted };
}

/** A word that every shell reads as itself, inside and outside quotes. */
export const isPlainWord = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word);
