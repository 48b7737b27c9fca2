/** White space as RE2 understands it, quotes, operators, and the marks of arguments in JSON. */
const AROUND_WORD = '\\s"\'`;|&()=,:{}';
/**
 * Around a word as a whole in a command line or in JSON arguments: blanks, quotes, the operators `; | & ( )`, the marks
 * `= , : { }`, or the ends of the text. `python` is not in `python3` or in `/bin/python`.
 */
export const WORD_START = String.raw`(?:^|[${AROUND_WORD}]|\\[nrt])`;
export const WORD_END = String.raw`(?:$|[${AROUND_WORD}\\])`;

/** Returns the text that a pattern without operators stands for, alone or between {@link WORD_START} and {@link WORD_END}. */
export function plainPattern(source: string): string | undefined {
  const isWord = source.startsWith(WORD_START) && source.endsWith(WORD_END);
  return unescaped(isWord ? source.slice(WORD_START.length, -WORD_END.length) : source);
}

/** The text of a pattern without operators; undefined if it has any. */
function unescaped(source: string): string | undefined {
  let text = '';
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char !== '\\') {
      if (/[\^$.|?*+()[\]{}]/.test(char)) return undefined;
      text += char;
      continue;
    }
    at += 1;
    const next = source.charAt(at);
    // an escaped letter or digit is a class, a boundary or a code
    if (!/[!-/:-@[-`{-~]/.test(next)) return undefined;
    text += next;
  }
  return text === '' ? undefined : text;
}

const ASCII = /^[\0-\x7f]*$/;
/** Characters that are the same as an ASCII letter without case: the long s and the Kelvin sign. */
const FOLDED: Readonly<Record<string, string>> = { '\u017f': 's', '\u212a': 'k' };

/** Returns the text with ASCII letters in lower case, as the engine compares them. Keeps the length. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z\u017f\u212a]/g, (char) => FOLDED[char] ?? char.toLowerCase());
}
