import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { hunksOf } from '../../learning/recoveries/alignment.js';
import { quoted } from './lesson-text.js';

const LONGEST_VALUE = 80;
/** Words that a difference names. More of them are another call. */
const MOST_WORDS = 4;

/** The one place at which two calls differ. */
export interface CallDifference {
  /** Half a sentence: `with python3 instead of "python"`. */
  readonly words: string;
  /** The same with what is new as code; undefined if that may not stand alone: only a word, or a flag with its value, may. */
  readonly code?: string;
}

/** What the call that worked has and the failed one has not; undefined if it is not one short thing. */
export function callDifference(failed: ShownCall, worked: ShownCall): CallDifference | undefined {
  if (failed.tool !== worked.tool) return undefined;
  const [first, ...others] = hunksOf(wordsOf(failed), wordsOf(worked));
  if (first === undefined || others.length > 0) return undefined;
  const { removed, added } = first;
  const [before, after] = [removed.join(' '), added.join(' ')];
  const isShort = [before, after].every((text) => text.length <= LONGEST_VALUE);
  if (!isShort || removed.length > MOST_WORDS || added.length > MOST_WORDS || /[`&|;]/.test(after)) return undefined;
  const old = quoted(before, LONGEST_VALUE);
  if (after === '') return sameInBoth(`without ${old}`);
  if (/^(["']).*\1$/.test(after) && after.slice(1, -1) === before)
    return sameInBoth(`with quotation marks around ${old}`);
  const [from, to] = [before, after].map((text) => /^([\w.-]{1,80})=(.{1,80})$/.exec(text));
  if (failed.tool !== 'shell' && from?.[2] !== undefined && from[2] === to?.[2]) {
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
  return { words: `with ${after}${instead}`, ...(standsAlone ? { code: `with \`${after}\`${instead}` } : {}) };
}

const sameInBoth = (words: string): CallDifference => ({ words, code: words });

/** The words of a call: those of a line, or the arguments as `name=value`, a text among them word by word. */
function wordsOf({ tool, call }: ShownCall): string[] {
  if (tool === 'shell') return wordsOfLine(call);
  return [...(argumentsOf(call) ?? [])].flatMap(([name, value]) => `${name}=${value}`.split(/\s+/));
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
  const withoutRedirections = (call: ShownCall): string[] => wordsOf(call).filter((word) => !REDIRECTION.test(word));
  const hunks = hunksOf(withoutRedirections(failed), withoutRedirections(worked));
  const added = hunks.flatMap((hunk) => hunk.added);
  if (hunks.length === 0 || added.some((word) => HIDES_CONTENT.test(word))) return false;
  // Without a step, hidden code may be other code.
  return added.length > 0 || !hidesContent(worked);
}
