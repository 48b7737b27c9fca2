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
  if (before.length + after.length === 0 || before.length > 3) return undefined;
  const old = quoted(before.join(' '), LONGEST_VALUE);
  if (after.length === 0) return `without ${old}`;
  const [first = '', second] = after;
  const isFlagWithValue = after.length === 2 && first.startsWith('-') && !(second ?? '').startsWith('-');
  const isWord = after.length === 1 && (!first.startsWith('-') || first.includes('='));
  const text = after.join(' ');
  if ((!isFlagWithValue && !isWord) || text.includes('`') || text.length > LONGEST_VALUE) return undefined;
  if (/^(?:"[^"]*"|'[^']*')$/.test(text) && text.slice(1, -1) === before.join(' '))
    return `with quotation marks around ${old}`;
  return before.length === 0 ? `with \`${text}\`` : `with \`${text}\` instead of ${old}`;
}

/** All words by which two command lines differ, as half a sentence; undefined if they are many. */
export function changedWords(failed: ShownCall, worked: ShownCall): string | undefined {
  if (failed.tool !== 'shell' || worked.tool !== 'shell') return undefined;
  const words = wordsOfLine(worked.call);
  const [before, after] = trimCommon(wordsOfLine(failed.call), words);
  const text = after.join(' ');
  const isShort = text !== '' && text.length <= LONGEST_VALUE && before.join(' ').length <= LONGEST_VALUE;
  if (!isShort || /[`&|;]/.test(text) || after.length > 4 || before.length > 4) return undefined;
  return before.length === 0 ? `with ${text}` : `with ${text} instead of ${quoted(before.join(' '), LONGEST_VALUE)}`;
}

/** The words without those that both begin or end with. */
export function trimCommon(a: readonly string[], b: readonly string[]): [string[], string[]] {
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shortest - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/** The arguments of a tool that differ between two calls, with their values; undefined if a call is no JSON object. */
export function changedArguments(
  failed: ShownCall,
  worked: ShownCall,
): { key: string; from: string | undefined; to: string | undefined }[] | undefined {
  const [before, after] = [argumentsOf(failed.call), argumentsOf(worked.call)];
  if (before === undefined || after === undefined) return undefined;
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => ({ key, from: before.get(key), to: after.get(key) }));
}

function argumentDifference(failed: ShownCall, worked: ShownCall): string | undefined {
  const changed = changedArguments(failed, worked) ?? [];
  const [first] = changed;
  if (first === undefined) return undefined;
  if (changed.every(({ to }) => to === undefined)) {
    const names = changed.map(({ key }) => quoted(key, LONGEST_VALUE));
    return `without the argument${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  }
  const { key, from, to } = first;
  if (changed.length > 1 || to === undefined) return undefined;
  const name = /^[\w.-]{1,80}$/.test(key) ? `\`${key}\`` : quoted(key, LONGEST_VALUE);
  if (from !== undefined && to.includes(' ')) return `with ${wordChange(from, to)} in the argument ${name}`;
  if (to === '' || to.length > LONGEST_VALUE) return `with another value of the argument ${name}`;
  if (from === undefined) return `with the argument ${name}: ${quoted(to, LONGEST_VALUE)}`;
  const old = from === '' ? 'an empty value' : quoted(inlineText(from, LONGEST_VALUE), LONGEST_VALUE);
  return `with ${quoted(to, LONGEST_VALUE)} as the argument ${name} instead of ${old}`;
}

/** The words of a statement that changed, if they are few. */
function wordChange(from: string, to: string): string {
  const [before, after] = trimCommon(from.split(/\s/, 200), to.split(/\s/, 200)).map((words) => words.join(' '));
  if (!after || after.length > LONGEST_VALUE || (before ?? '').length > LONGEST_VALUE) return 'another value';
  const text = quoted(after, LONGEST_VALUE);
  return before ? `${text} instead of ${quoted(before, LONGEST_VALUE)}` : text;
}

const REDIRECTION = /^(?:\d|&)?>{1,2}/;
/** Placeholders that hide what decides: another code or text may fail as well. */
const HIDES_CONTENT = /<(?:code|text|value|list|object|script|file text|old text|new text|patch)>/;

export const hidesContent = ({ call }: ShownCall): boolean => HIDES_CONTENT.test(call);

/**
 * Returns whether the two calls show what made the difference. They do not if they differ in redirections only, or if
 * what the second one has instead is hidden.
 */
export function showsDifference(failed: ShownCall, worked: ShownCall): boolean {
  if (failed.tool !== worked.tool) return !hidesContent(worked);
  if (failed.tool !== 'shell') return failed.call !== worked.call;
  const wordsOf = ({ call }: ShownCall): string[] => wordsOfLine(call).filter((word) => !REDIRECTION.test(word));
  const [before, after] = trimCommon(wordsOf(failed), wordsOf(worked));
  if (before.length + after.length === 0 || after.some((word) => HIDES_CONTENT.test(word))) return false;
  // Without a step, hidden code may be other code.
  return after.length > 0 || !hidesContent(worked);
}
