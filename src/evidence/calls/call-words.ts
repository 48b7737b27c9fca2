/**
 * Splits a shown command line at blanks, outside quotes and placeholders. Quotes, operators and redirections stay in
 * their words, so that joining the words with one blank gives the line again.
 */
export function wordsOfLine(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    const placeholder = quote === '' && char === '<' ? /^<[a-z][a-z0-9 -]{0,29}>/.exec(line.slice(at, at + 32)) : null;
    if (placeholder) {
      word += placeholder[0];
      at += placeholder[0].length - 1;
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== '') words.push(word);
      word = '';
    } else {
      if (char === '\\' && quote !== "'") word += char + line.charAt(++at);
      else word += char;
      if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === quote) quote = '';
    }
  }
  return word === '' ? words : [...words, word];
}
