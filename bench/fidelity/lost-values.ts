import type { SetCall } from '../sets/set-row.js';
import { commandIn, isShell, rawCommandOf } from './call-pattern.js';
import { programOf, simpleCommands, tokensOf } from './shell-tokens.js';

/** A failed call of a set, and the later one that worked. */
export interface CallPair {
  readonly failed: SetCall;
  readonly worked: SetCall;
}

/** A value that the successful call has and the failed one has not. */
export interface DecidingValue {
  readonly text: string;
  /** The argument, variable or flag that holds it. */
  readonly name: string | undefined;
}

/** More differences than these are another call, not another value. */
const MOST_DIFFERENCES = 3;
const LONGEST_VALUE = 120;
const CONTENT_KEY = /content|prompt|text|code|message|old_|new_|body|thought|description|input/i;

/**
 * The values by which the successful call differs from the failed one. Empty if they are different calls, or differ by
 * content, which no lesson may show.
 */
export function decidingValues({ failed, worked }: CallPair): DecidingValue[] {
  if (failed.isCut || worked.isCut || failed.tool !== worked.tool) return [];
  return isShell(failed.tool) ? changedWords(failed, worked) : changedArguments(failed, worked);
}

function changedArguments(failed: SetCall, worked: SetCall): DecidingValue[] {
  const before = rawCommandOf(failed.tool, failed.input).args;
  const after = rawCommandOf(worked.tool, worked.input).args;
  const changed = [...after].filter(([key, value]) => before.get(key) !== value);
  if (changed.length === 0 || changed.length > MOST_DIFFERENCES) return [];
  return changed.flatMap(([key, value]) => {
    if (CONTENT_KEY.test(key)) return [];
    const known = new Set((before.get(key) ?? '').split(/\s+/));
    // Of a text, such as a query, the words decide.
    const added = value.split(/\s+/).filter((word) => !known.has(word));
    const texts = added.length > MOST_DIFFERENCES ? [value] : added;
    return texts.filter(isValue).map((text) => ({ text, name: key }));
  });
}

/**
 * Compares the simple commands of two lines that run the same programs: the values of flags and variables, and the
 * operands. Lines with other programs differ by a step, not by a value.
 */
function changedWords(failed: SetCall, worked: SetCall): DecidingValue[] {
  const before = simpleCommands(tokensOf(commandIn(failed.input))).filter(isNoFilter);
  const after = simpleCommands(tokensOf(commandIn(worked.input))).filter(isNoFilter);
  if (before.map(programOf).join('\n') !== after.map(programOf).join('\n')) return [];
  const found: DecidingValue[] = [];
  for (const [at, words] of after.entries()) {
    const known = new Set(before[at]);
    const added = words.filter((word) => !known.has(word));
    if (added.length === 0 || added.length > MOST_DIFFERENCES) continue;
    for (const word of added) {
      const flag = words[words.indexOf(word) - 1];
      if (isValue(word)) found.push({ text: word, name: flag?.startsWith('-') === true ? flag : undefined });
    }
  }
  return found.length > MOST_DIFFERENCES ? [] : found;
}

const isNoFilter = (words: readonly string[]): boolean =>
  !/^(?:head|tail|grep|cat|wc|sort|tee|less)$/.test(programOf(words));

const isValue = (text: string): boolean =>
  text.trim() !== '' && text.length <= LONGEST_VALUE && !/[\n$`;(){}]/.test(text) && text !== '/dev/null';
