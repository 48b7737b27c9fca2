/** A pattern that stands for one text: anywhere in a call, or as a whole word of it. */
export interface PlainPattern {
  readonly kind: 'text' | 'word';
  readonly text: string;
}

const SIGNS = /[\\^$.|?*+()[\]{}]/g;
/** White space as RE2 understands it, quotes, operators, and the marks of arguments in JSON. */
const AROUND_WORD = '\\s"\'`;|&()=,:{}';
const WORD_START = String.raw`(?:^|[${AROUND_WORD}]|\\[nrt])`;
const WORD_END = String.raw`(?:$|[${AROUND_WORD}\\])`;

/** The pattern that matches exactly this text, without case. */
export const escapePattern = (text: string): string => text.replace(SIGNS, '\\$&');

/**
 * The pattern that matches a word as a whole in a command line or in JSON arguments: between blanks, quotes, the
 * operators `; | & ( )`, the marks `= , : { }`, or the ends of the text. `python` is not in `python3` or in `/bin/python`.
 */
export const wordPattern = (word: string): string => WORD_START + escapePattern(word) + WORD_END;

/** Returns the text that a pattern stands for, if it was made by {@link escapePattern} or {@link wordPattern}. */
export function plainPattern(source: string): PlainPattern | undefined {
  const isWord = source.startsWith(WORD_START) && source.endsWith(WORD_END);
  const inner = isWord ? source.slice(WORD_START.length, -WORD_END.length) : source;
  const text = unescaped(inner);
  return text === undefined ? undefined : { kind: isWord ? 'word' : 'text', text };
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

/** The alternatives of a pattern at its top level; undefined if it cannot be split safely. */
export function alternativesOf(source: string): string[] | undefined {
  const parts: string[] = [];
  let [start, depth] = [0, 0];
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') {
      // quoted text, codes of characters and classes of Unicode have operators of their own
      if (/[QExpP0-9]/.test(source.charAt(at + 1))) return undefined;
      at += 1;
    } else if (char === '[') {
      const end = endOfClass(source, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) {
      parts.push(source.slice(start, at));
      start = at + 1;
    }
  }
  return depth === 0 ? [...parts, source.slice(start)] : undefined;
}

/** The place of the bracket that ends the class; undefined if there is none. */
function endOfClass(source: string, start: number): number | undefined {
  let at = start + 1;
  if (source.charAt(at) === '^') at += 1;
  // a bracket in the first place stands for itself
  if (source.charAt(at) === ']') at += 1;
  for (; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') at += 1;
    // a named class, such as [:alpha:]
    else if (char === '[' && source.charAt(at + 1) === ':') {
      const end = source.indexOf(':]', at + 2);
      if (end >= 0) at = end + 1;
    } else if (char === ']') return at;
  }
  return undefined;
}

/** Shorter texts are in most calls. */
const SHORTEST_REQUIRED = 2;

/**
 * Returns texts of which every matching text holds at least one, in lower case; none if that is not known. They reject
 * most calls faster than the engine. Only ASCII, whose case is simple.
 */
export function requiredTexts(source: string): string[] {
  const longest = (alternativesOf(source) ?? ['']).map(longestText);
  return longest.every((text) => text.length >= SHORTEST_REQUIRED) ? longest : [];
}

/** The longest text outside groups and classes that no quantifier makes optional. */
function longestText(source: string): string {
  let [longest, run, depth] = ['', '', 0];
  const end = (): void => {
    if (run.length > longest.length) longest = run;
    run = '';
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '[') {
      end();
      at = endOfClass(source, at) ?? source.length;
      continue;
    }
    const isEscaped = char === '\\';
    if (isEscaped) at += 1;
    const literal = source.charAt(at);
    if (!isEscaped && char === '(') depth += 1;
    if (!isEscaped && char === ')') depth -= 1;
    const isText = isEscaped ? /[!-/:-@[-`{-~]/.test(literal) : /[ -~]/.test(char) && !/[\^$.|?*+()\]{}]/.test(char);
    if (!isText || depth > 0) {
      end();
      // the numbers of a repetition are no text
      if (!isEscaped && char === '{') at = Math.max(at, source.indexOf('}', at));
      continue;
    }
    const isOptional = /[?*{]/.test(source.charAt(at + 1));
    if (isOptional) end();
    else run += literal;
  }
  end();
  return longest.toLowerCase();
}

const IN_WORD_BOUND = new Set('\t\n\f\r "\'`;|&()=,:{}');

/** Returns whether a text holds the word as {@link wordPattern} understands it; both in the form of {@link foldCase}. */
export function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const after = text.charAt(at + word.length);
    const ends = after === '' || after === '\\' || IN_WORD_BOUND.has(after);
    if (ends && startsWord(text, at)) return true;
  }
  return false;
}

const startsWord = (text: string, at: number): boolean =>
  at === 0 ||
  IN_WORD_BOUND.has(text.charAt(at - 1)) ||
  (text.charAt(at - 2) === '\\' && /[nrt]/.test(text.charAt(at - 1)));

const ASCII = /^[\0-\x7f]*$/;
/** Characters that are the same as an ASCII letter without case: the long s and the Kelvin sign. */
const FOLDED: Readonly<Record<string, string>> = { '\u017f': 's', '\u212a': 'k' };

/** True for texts whose case the fast paths compare exactly as the engine does. */
export const isAscii = (text: string): boolean => ASCII.test(text);

/** Returns the text with ASCII letters in lower case, as the engine compares them. Keeps the length. */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.replace(/[A-Z\u017f\u212a]/g, (char) => FOLDED[char] ?? char.toLowerCase());
}
