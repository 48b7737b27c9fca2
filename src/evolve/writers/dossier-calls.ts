import { actionShape } from '../../capture/actions/action.js';
import { namesOfAction } from '../../capture/actions/action-shape.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { callOf } from '../../learning/calls/call.js';
import { goalOf, type RecordedCall } from '../evidence/recorded-execution.js';

export type ExampleCall = Dossier['examples'][number]['failed'];

/** The most calls of either kind that a proposal holds. */
const MOST_CALLS = 40;
/** In the place of a call that may not be shown. */
const WITHHELD = /^<call not shown>$/;

/** False for a call that the dossier withholds. */
export const isShown = ({ call }: ExampleCall): boolean => !WITHHELD.test(call.call);

/** A call of a dossier as a predicate reads it. Its private values are placeholders. */
export function recordedCallOf({ call, ok, error }: ExampleCall, index: number): RecordedCall {
  const shape = actionShape(call.tool, call.call);
  return {
    index,
    tool: shape.tool,
    goal: goalOf({ shape }),
    text: call.call,
    actions: new Set(namesOfAction(shape)),
    ok: ok ?? undefined,
    error: ok === false ? (error ?? '') : '',
    read: callOf({ tool: call.tool, action: call.call, ok: ok ?? undefined, errorLine: error ?? undefined }, index),
  };
}

/**
 * The calls of a dossier that worked, and those that failed: what a lesson may recommend, and what it may name. A line of
 * commands joined by `&&` that worked is also each of them.
 */
export function observedCallsOf(dossier: Dossier): ObservedCalls {
  const calls = dossier.examples
    .flatMap(({ before, failed, later }) => [...(before ? [before] : []), failed, ...later])
    .filter(isShown);
  const worked = calls.filter(({ ok }) => ok === true).flatMap(({ call }) => [call, ...stepsOfLine(call)]);
  const failed = calls.filter(({ ok }) => ok === false).map(({ call }) => call);
  return { worked: distinct(worked), failed: distinct(failed) };
}

const distinct = (calls: readonly ShownCall[]): ShownCall[] =>
  [...new Map(calls.map((call) => [JSON.stringify([call.tool, call.call]), call])).values()].slice(0, MOST_CALLS);

/** Of a line that continues only while its commands work. */
function stepsOfLine({ tool, call }: ShownCall): ShownCall[] {
  const words = tool === 'shell' ? wordsOfLine(call) : [];
  if (!words.includes('&&') || words.some((word) => NOT_A_CHAIN.test(word))) return [];
  const steps: string[][] = [[]];
  for (const word of words) {
    if (word === '&&') steps.push([]);
    else steps.at(-1)?.push(word);
  }
  return steps.filter((step) => step.length > 0).map((step) => ({ tool, call: step.join(' ') }));
}

const NOT_A_CHAIN = /^(?:;|\|\||&|[(){}]|for|while|until|if|case)$|;$|<</;
