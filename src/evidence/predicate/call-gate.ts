import { matchesOf } from '../../learning/patterns/matching.js';
import type { Condition, LearnedClaim, Pattern } from '../../learning/patterns/pattern.schema.js';
import { type CallTest, compileMatchers } from './compiled-predicate.js';
import { type Matcher, matcherList, type Predicate } from './predicate.schema.js';
import type { PredicateCall } from './predicate-call.js';

/** What a predicate says about calls that have not run. */
export interface CallGate {
  /** The lesson is about this call, and it is not in the taught form. */
  readonly refuses: CallTest;
  /** The call that the lesson wants before it; once it was made, nothing is refused. */
  readonly prior: CallTest | undefined;
}

/**
 * Returns undefined if the predicate says nothing about a call itself, such as one that names only an error. Throws
 * RangeError for a pattern that its schema refuses.
 */
export function callGateOf({ learned, when, follow, attempt, start }: Predicate): CallGate | undefined {
  if (learned) return learnedGateOf(learned);
  const about = [...matcherList(when), ...matcherList(start?.action)].flatMap(testOfCall);
  if (about.length === 0) return undefined;
  const taught = [...matcherList(follow), ...matcherList(start?.form)].flatMap(testOfForm);
  // With an attempt, what follows the lesson is a step before it.
  const prior = [...matcherList(attempt && follow), ...matcherList(start?.prior)].flatMap(testOfForm);
  return {
    refuses: (call) => about.some((test) => test(call)) && !taught.some((test) => test(call)),
    prior: prior.length === 0 ? undefined : (call) => prior.some((test) => test(call)),
  };
}

function learnedGateOf({ conditions }: LearnedClaim): CallGate {
  const isOf = (call: PredicateCall, pattern: Pattern | undefined, closed?: Condition['closed']): boolean =>
    pattern !== undefined && call.read !== undefined && matchesOf([pattern], [call.read.tokens], closed) !== undefined;
  return {
    refuses: (call) =>
      conditions.some((one) => isOf(call, one.call, one.closed)) &&
      !conditions.some(({ step, remedy }) => step === undefined && isOf(call, remedy)),
    prior: conditions.some(({ step }) => step) ? (call) => conditions.some(({ step }) => isOf(call, step)) : undefined,
  };
}

/** A shell call without words: a condition that it meets says nothing about a call. */
const ANY_CALL: PredicateCall = {
  index: 0,
  tool: 'shell',
  goal: '',
  actions: new Set(),
  text: '',
  ok: true,
  error: '',
};

/** What a matcher says about the call, without its result; nothing if it compares the call with a failed one. */
function testOfCall({ error: _error, ok: _ok, ...matcher }: Matcher): CallTest[] {
  const { tool, action, args, notTool: _tool, notAction: _action, notArgs: _args, ...compared } = matcher;
  if (Object.values(compared).some((value) => value !== undefined)) return [];
  return compileMatchers({ tool, action, args })(ANY_CALL) ? [] : [compileMatchers(matcher)];
}

/**
 * The taught form of a call that was never tried otherwise: what it adds has to be in it, what it drops must not be.
 * Nothing for a form that shows only beside an error, or that every try of the same action has.
 */
function testOfForm({ error: _error, ok: _ok, ...matcher }: Matcher): CallTest[] {
  const { sameAction: _same, sameTool: _sameTool, sameArgs: _sameArgs, adds, drops, ...call } = matcher;
  const { tool: _tool, notTool: _notTool, action, notAction, args, notArgs, ...besideError } = call;
  if (Object.values(besideError).some((value) => value !== undefined)) return [];
  if ([action, notAction, args, notArgs, adds, drops].every((part) => part === undefined)) return [];
  const tests = [call, { args: adds, notArgs: drops }].map((part) => compileMatchers(part));
  return [(tried) => tests.every((test) => test(tried))];
}
