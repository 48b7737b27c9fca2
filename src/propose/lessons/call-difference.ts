import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { inlineText, quoted } from './lesson-text.js';

const LONGEST_VALUE = 80;

/**
 * What the call that worked has and the failed one has not, as half a sentence; undefined if it is not one short thing.
 * A flag is named together with its value.
 */
export function callDifference(failed: ShownCall, worked: ShownCall): string | undefined {
  if (failed.tool !== worked.tool) return undefined;
  return failed.tool === 'shell' ? wordDifference(failed.call, worked.call) : argumentDifference(failed, worked);
}

function wordDifference(failed: string, worked: string): string | undefined {
  const [before, after] = trimCommon(wordsOfLine(failed), wordsOfLine(worked));
  if (before.length + after.length === 0 || before.length > 2) return undefined;
  const old = quoted(before.join(' '), LONGEST_VALUE);
  if (after.length === 0) return `without ${old}`;
  const [first = '', second] = after;
  const isFlagWithValue = after.length === 2 && first.startsWith('-') && !(second ?? '').startsWith('-');
  const isWord = after.length === 1 && (!first.startsWith('-') || first.includes('='));
  const text = after.join(' ');
  if ((!isFlagWithValue && !isWord) || text.includes('`') || text.length > LONGEST_VALUE) return undefined;
  return before.length === 0 ? `with \`${text}\`` : `with \`${text}\` instead of ${old}`;
}

/** The words without those that both begin or end with. */
function trimCommon(a: readonly string[], b: readonly string[]): [string[], string[]] {
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shortest - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function argumentDifference(failed: ShownCall, worked: ShownCall): string | undefined {
  const [before, after] = [argumentsOf(failed.call), argumentsOf(worked.call)];
  if (before === undefined || after === undefined) return undefined;
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const [key] = changed;
  if (key === undefined || changed.length > 1) return undefined;
  const [from, to] = [before.get(key), after.get(key)];
  if (to === undefined) return `without the argument ${quoted(key, LONGEST_VALUE)}`;
  const name = /^[\w.-]{1,80}$/.test(key) ? `\`${key}\`` : quoted(key, LONGEST_VALUE);
  if (to === '' || to.length > LONGEST_VALUE) return `with another value of the argument ${name}`;
  if (from === undefined) return `with the argument ${name}: ${quoted(to, LONGEST_VALUE)}`;
  const old = from === '' ? 'an empty value' : quoted(inlineText(from, LONGEST_VALUE), LONGEST_VALUE);
  return `with ${quoted(to, LONGEST_VALUE)} as the argument ${name} instead of ${old}`;
}
