const MOST = { line: 400, words: 40, text: 1_500 } as const;

/** The words of the decisive line. `isStatement`: names of a database are split: `school.teachers`. */
export function errorTokens(line: string, isStatement: boolean): string[] {
  const words = line
    .slice(0, MOST.line)
    // A marker such as `[path]` is a part of its word.
    .split(/(?:[\s'"`‘’“”(),;{}<>]|\[(?![a-z]{1,12}\])|(?<!\[[a-z]{1,12})\])+|:(?=\s|$)|[.!?](?=\s|$)/)
    .filter((word) => word !== '')
    .slice(0, MOST.words);
  return isStatement ? words.flatMap((word) => word.split('.').filter((part) => part !== '')) : words;
}

/** Stands for output without a line that is certainly about the error: it may be data. */
export const WITHHELD_OUTPUT = '[output without an error line]';

/** A headline of errors of any kind; the line that says why was cut off. */
const HEADLINE = /^Traceback most recent call last$/;
export const isHeadline = (error: readonly string[]): boolean => HEADLINE.test(error.join(' '));

/** The distinct words of an error, in lower case. */
export function errorVocabulary(text: string): ReadonlySet<string> {
  return new Set(
    text
      .slice(0, MOST.text)
      .toLowerCase()
      .match(/[a-z][a-z_-]{2,60}/g) ?? [],
  );
}

/** An error that calls something wrong: what it names is not part of the goal. */
export const CALLS_WRONG =
  /not found|\bno (?:such|module|rule|matching|target|task|script|command)\b|n['o ]*t exist|unknown|unrecogni[sz]ed|invalid|\bnot (?:an?|valid|installed|supported|allowed|recogni[sz]ed|open|find|change)\b|can ?(?:no)?t\b|unable|missing|ambiguous|denied|undefined|unexpected|out of range|exceeds|does n|do not|no longer|deprecated|too (?:many|large|long)/i;

/** The error says that a file or folder is not there. */
export const MISSING =
  /no such file|(?:file|directory) not found|not match any file|does not exist|can(?:not|'t) (?:access|open|stat|find)/i;

/** The error says that a text that was to be there is not: the same one again would fail again. */
export const NO_MATCH = /\bnot found\b|\bno match|\bdid not match\b|\bnot match/i;

/** The same errors are asked for by every try and every lesson. */
const known = new WeakMap<readonly string[], (token: string) => boolean>();

/** Returns whether the error names a token: as such, as the end of a path or name, or with a sign around it. */
export function namedIn(error: readonly string[]): (token: string) => boolean {
  const test = known.get(error) ?? namesOf(error);
  known.set(error, test);
  return test;
}

function namesOf(error: readonly string[]): (token: string) => boolean {
  const words = new Set(
    error
      .flatMap((word) => [word, word.replace(/^[-:=<]+|[:=>]+$/g, ''), ...word.split(/[:.=]/)])
      .filter((word) => word.length > 1),
  );
  const tails = new Set(
    [...words].flatMap((word) => (word.includes('/') ? [word.slice(word.lastIndexOf('/') + 1)] : [])),
  );
  return (token) => {
    const plain = token.replace(/^-+|[=/]+$/g, '');
    return (
      plain.length > 1 &&
      (words.has(token) || words.has(plain) || words.has(plain.slice(plain.lastIndexOf('/') + 1)) || tails.has(plain))
    );
  };
}
