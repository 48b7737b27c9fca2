/**
 * The vocabulary as data, read from the tables of docs/glossary.md: `| term | meaning | retired |`. The retired column
 * lists, in backticks, what no file may contain:
 * - a word or phrase in lower case, such as `old word`. It is found in text, in any case, and inside an identifier
 *   (`oldWordBefore`, `was_old_word`).
 * - a name with a capital or an underscore, such as `OldName` or `OLD_NAME`. It is found only as a complete name.
 */
const ROW = /^\|(.+)\|(.+)\|(.+)\|\s*$/;
const QUOTED = /`([^`]+)`/g;
const PHRASE = /^[a-z]+(?:[ '-][a-z]+)*$/;

/** Returns the retired words of a glossary as `{ word, term, pattern }`, in the order of the document. */
export function retiredWords(glossary) {
  return glossary.split('\n').flatMap((text) => {
    const [, term, , retired] = ROW.exec(text) ?? [];
    if (term === undefined) return [];
    return [...retired.matchAll(QUOTED)].map(([, word]) => ({
      word,
      term: term.replaceAll('`', '').trim(),
      pattern: patternOf(word),
    }));
  });
}

/** Lists where `text` uses a retired word or cites a text that is not in the repository, one line for each place. */
export function retiredUses(file, text, retired) {
  return [
    ...retired.flatMap(({ word, term, pattern }) =>
      places(text, pattern).map((line) => `${file}:${line}: "${word}" is retired: ${term}`),
    ),
    ...places(text, ABSENT_TEXT).map((line) => `${file}:${line}: cites a text that is not in the repository`),
  ];
}

/** Citations of design notes by name and number. A reader of the repository cannot look them up. */
const ABSENT_TEXT =
  /\b(?:spec|threats|formats|evidence|learning|delivery|house|stack)(?:\.md)?,? (?:§ ?)?[A-Z]?\d+(?:\.\d+)*\b(?! ?[%a-z])/g;

/** A comment may break a phrase across lines. */
const BETWEEN_WORDS = String.raw`(?:[\s*#-]|//)+`;

function patternOf(word) {
  if (!PHRASE.test(word)) return new RegExp(`(?<![\\w$])${escaped(word)}(?![\\w$])`, 'g');
  const [first, ...rest] = word.split(' ');
  const initial = first[0];
  const capital = initial.toUpperCase() + first.slice(1);
  const start = `(?:(?<![A-Za-z])[${initial}${initial.toUpperCase()}]${escaped(first.slice(1))}|(?<=[a-z0-9])${capital}|(?<![A-Z])${first.toUpperCase()})`;
  const tail = rest.map((next) => `${BETWEEN_WORDS}${escaped(next)}`).join('');
  return new RegExp(`${start}${tail}(?![a-z])`, 'g');
}

function places(text, pattern) {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length);
}

function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
