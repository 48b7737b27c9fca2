import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { type Hunk, hunksOf } from '../../learning/recoveries/alignment.js';
import { quoted } from './lesson-text.js';

const LONGEST_VALUE = 80;
/** Words that a difference names, and places. More of them are another call. */
const MOST = { words: 6, places: 3 } as const;
/** What only cuts the output. */
const OUTPUT = /(?: 2>&1)?(?: \| (?:tail|head)(?: -\w{1,9}){0,2}(?: \d{1,6})?)?$/;

/** What two pieces hold between the brackets and signs around both: `max(name),` and `max(id),`. */
const SAME_AROUND = /^((?:[^\s([{]*[([{])*)([^([{]*?)([,;)\]}]*)\n\1([^([{]*?)\3$/s;
/** The same with brackets inside, which are kept whole: `min(id),` and `max(id),`. */
const SAME_END = /^()(.*?)([,;]*)\n(.*?)\3$/s;

/** A line without what only cuts its output. */
export const withoutOutput = (line: string): string => line.replace(OUTPUT, '');

/** The places at which two calls differ. */
export interface CallDifference {
  /** Half a sentence: `with python3 instead of "python"`. */
  readonly words: string;
  /** The same, with a new word or a flag with its value as code; all else is quoted, since it is no call. */
  readonly code: string;
}

/** What the call that worked has and the failed one has not; undefined if it is not a few short things. */
export function callDifference(failed: ShownCall, worked: ShownCall): CallDifference | undefined {
  if (failed.tool !== worked.tool) return undefined;
  const hunks = hunksOf(wordsOf(failed), wordsOf(worked));
  // The case of a name says something only if nothing else differs.
  const isOther = ({ removed, added }: Hunk): boolean =>
    removed.join(' ').toLowerCase() !== added.join(' ').toLowerCase();
  const changed = hunks.some(isOther) ? hunks.filter(isOther) : hunks;
  const found = changed.map((hunk) => placeOf(hunk, failed.tool));
  const places = found.flatMap((one) => one ?? []);
  if (places.length === 0 || places.length < found.length || places.length > MOST.places) return undefined;
  const all = (of: (place: CallDifference) => string): string => [...new Set(places.map(of))].join(', and ');
  return { words: all(({ words }) => words), code: all(({ code }) => code) };
}

function placeOf({ removed, added }: Hunk, tool: string): CallDifference | undefined {
  const both = `${removed.join(' ')}\n${added.join(' ')}`;
  const [, , before = '', , after = ''] = SAME_AROUND.exec(both) ?? SAME_END.exec(both) ?? [];
  const isShort = [before, after].every((text) => text.length <= LONGEST_VALUE);
  if (!isShort || removed.length > MOST.words || added.length > MOST.words || after.includes('`')) return undefined;
  // A whole command in front can be named; a piece of one cannot.
  if (/[&|;]/.test(removed.length > 0 ? after : after.replace(/ (?:&&|;)$/, ''))) return undefined;
  const old = quoted(before, LONGEST_VALUE);
  if (after === '') return sameInBoth(`without ${old}`);
  if (/^(["']).*\1$/.test(after) && after.slice(1, -1) === before)
    return sameInBoth(`with quotation marks around ${old}`);
  const [from, to] = [before, after].map((text) => /^([\w.-]{1,80})=(.{1,80})$/.exec(text));
  if (tool !== 'shell' && from?.[2] !== undefined && from[2] === to?.[2]) {
    const wrong = quoted(from[1] ?? '', LONGEST_VALUE);
    return {
      words: `with the argument ${to[1]} instead of ${wrong}`,
      code: `with the argument \`${to[1]}\` instead of ${wrong}`,
    };
  }
  const instead = before === '' ? '' : ` instead of ${old}`;
  const [word = '', value = ''] = added;
  const isFlagWithValue = added.length === 2 && word.startsWith('-') && !value.startsWith('-');
  const standsAlone = isFlagWithValue || (added.length === 1 && (!word.startsWith('-') || word.includes('=')));
  return {
    words: `with ${after}${instead}`,
    code: `with ${standsAlone ? `\`${after}\`` : quoted(after, LONGEST_VALUE)}${instead}`,
  };
}

const sameInBoth = (words: string): CallDifference => ({ words, code: words });

/** The words of a call: those of a line, or the arguments as `name=value`, a text among them word by word. */
function wordsOf({ tool, call }: ShownCall): string[] {
  if (tool === 'shell') return wordsOfLine(withoutOutput(call));
  return [...(argumentsOf(call) ?? [])].flatMap(([name, value]) => `${name}=${value}`.split(/\s+/));
}

const REDIRECTION = /^(?:\d|&)?>{1,2}/;
/** Placeholders that hide what decides: another code or text may fail as well. */
const HIDES_CONTENT = /<(?:code|text|value|list|object|script|file text|old text|new text|patch)>/;

/** Which address or folder it is, no reader knows. */
const IS_PLACE = /^["']?<(?:url|host|folder)>["']?$/;

export const hidesContent = ({ call }: ShownCall): boolean => HIDES_CONTENT.test(call);

/**
 * Returns whether the two calls show what made the difference. They do not if they differ in redirections only, or if
 * what the second one has instead is hidden.
 */
export function showsDifference(failed: ShownCall, worked: ShownCall): boolean {
  if (failed.tool !== worked.tool) return !hidesContent(worked);
  if (failed.tool !== 'shell') return failed.call !== worked.call;
  const withoutRedirections = (call: ShownCall): string[] => wordsOf(call).filter((word) => !REDIRECTION.test(word));
  const [from, to] = [withoutRedirections(failed), withoutRedirections(worked)];
  const hunks = hunksOf(from, to);
  const added = hunks.flatMap((hunk) => hunk.added);
  const isOnlyPlace = (word: string): boolean =>
    word.startsWith('<folder>/') && from.some((one) => `/${one}`.endsWith(word.slice('<folder>'.length)));
  const isUnknown = (word: string): boolean => !from.includes(word) && (IS_PLACE.test(word) || isOnlyPlace(word));
  if (hunks.length === 0 || added.some((word) => HIDES_CONTENT.test(word) || isUnknown(word))) return false;
  // Without a step, hidden code may be other code.
  return added.length > 0 || !hidesContent(worked);
}
