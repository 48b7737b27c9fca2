import { argumentsOf, isInstance } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { fills } from '../../evidence/calls/placeholder.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';

const SPAN = /`([^`]{1,700})`/g;
/** Right before a span, these ask for it, unless the sentence says when it fails. */
const RECOMMENDS = /\b(?:use|uses|run|call|try|write|do|prefer|execute|start|add|install)\s{0,3}$/i;
const SAYS_WHEN =
  /\b(?:about to|when|where|if|not|never|instead of|rather than|without|before)\s(?:[\w,]{1,20}\s){0,4}$/i;

/**
 * Returns the first code span that recommends what was not seen to work: neither an instance of a call that worked, nor
 * one word of it, nor the beginning of a failed call that the text does not ask for.
 */
export function unlawfulSpan(text: string, calls: ObservedCalls): string | undefined {
  for (const match of text.matchAll(SPAN)) {
    const span = (match[1] ?? '').trim();
    const before = text.slice(Math.max(0, match.index - 80), match.index);
    const isAskedFor = RECOMMENDS.test(before) && !SAYS_WHEN.test(before.replace(RECOMMENDS, ''));
    if (isSeen(span, calls.worked) || (!isAskedFor && isPartOf(span, calls.failed))) continue;
    return span;
  }
  return undefined;
}

const isSeen = (span: string, calls: readonly ShownCall[]): boolean => calls.some((call) => isOf(span, call));

/** The call, one word of it, or the words that it begins with. */
const isPartOf = (span: string, calls: readonly ShownCall[]): boolean =>
  isSeen(span, calls) || calls.some(({ call }) => call.startsWith(`${span} `));

function isOf(span: string, call: ShownCall): boolean {
  if (span === call.tool && call.tool !== 'shell') return true;
  if (isInstance({ tool: call.tool, call: span }, call)) return true;
  if (call.tool !== 'shell') return argumentsOf(call.call)?.has(span) === true;
  const [words, seen] = [wordsOfLine(span), wordsOfLine(call.call)];
  const [first = '', second] = words;
  if (words.length === 1) return seen.some((word) => fills(first, word));
  return (
    words.length === 2 &&
    first.startsWith('-') &&
    seen.some((word, at) => word === first && fills(second ?? '', seen[at + 1] ?? ''))
  );
}
