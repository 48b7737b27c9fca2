import type { Call } from '../calls/call.js';
import { literals, matchesOf } from '../patterns/matching.js';
import type { Condition, LearnedClaim } from '../patterns/pattern.schema.js';
import { callsAfter, type Try, triesAfter } from '../recoveries/case.js';
import { commandsOf } from '../recoveries/goal.js';
import { isStep } from '../recoveries/refused-remedy.js';

/** Most of the words that all errors of a lesson had must be in an error for it to be one of them. */
const SAID = 0.8;

/** Whether a lesson is about a failed call: one of its conditions matches call and error. */
export const appliesTo = ({ conditions }: LearnedClaim, failed: Call): boolean =>
  conditions.some((one) => bindingsOf(one, failed) !== undefined);

/** What the variables of a condition stand for in a failed call; undefined if it does not match. */
export function bindingsOf(condition: Condition, failed: Call): ReadonlyMap<string, string> | undefined {
  const { tool, call, error, closed } = condition;
  if (!failed.failed || failed.tool !== tool || !saysWordsOf(condition, failed.said)) return undefined;
  return matchesOf([call, error], [failed.tokens, failed.error], closed);
}

/** Whether an error with these words says enough of what all errors of a condition said. */
export const saysWordsOf = ({ said }: Condition, words: ReadonlySet<string>): boolean =>
  said.filter((word) => words.has(word)).length >= SAID * said.length;

/** Whether a try does what the lesson says. */
export const follows = (follow: readonly string[], { features }: Try): boolean =>
  follow.every((one) => features.has(one));

/** `follow` of two lessons: whether a try that follows one of them follows the other. */
export const asksForSame = (a: readonly string[], b: readonly string[]): boolean => asksFor(a, b) || asksFor(b, a);

/** A longer form of a step asks for the shorter one. */
const asksFor = (follow: readonly string[], by: readonly string[]): boolean =>
  follow.every((one) => by.some((other) => other === one || (isStep(one) && other.startsWith(`${one} `))));

/** The tries of a run after a failure: the first that follows the lesson, and the first before it that follows nothing. */
export interface ClaimTries<Taught = Try> {
  readonly taught: Taught | undefined;
  readonly other: Call | undefined;
}

/**
 * `calls`: all calls of the run. A try whose result says nothing counts on neither side. Few runs repeat at once what is to be
 * left out: of such a lesson the next line of the failing form is the other try, whenever it comes.
 */
export function triesOf(claim: LearnedClaim, calls: readonly Call[], failed: Call): ClaimTries {
  const { follow, rivals, conditions } = claim;
  const tries = triesAfter(calls, failed).filter(({ worked }) => worked !== undefined);
  const taught = tries.find((one) => follows(follow, one));
  const isBefore = ({ call }: Try): boolean => taught === undefined || call.at < taught.call.at;
  const other = tries.find((one) => isBefore(one) && ![follow, ...rivals].some((remedy) => follows(remedy, one)));
  return { taught, other: other?.call ?? (leavesOut(claim) ? again(conditions, calls, failed) : undefined) };
}

const again = (conditions: readonly Condition[], calls: readonly Call[], failed: Call): Call | undefined =>
  callsAfter(calls, failed, calls.length).find(
    (call) => call.ended !== undefined && conditions.some((one) => isOfForm(one, call)),
  );

/** Whether a call has the failing form, whether or not it failed. */
const isOfForm = ({ tool, call, closed }: Condition, { tool: called, tokens }: Call): boolean =>
  tool === called && matchesOf([call], [tokens], closed) !== undefined;

/** The remedy is the failed call without a part of it. */
export const leavesOut = ({ conditions }: LearnedClaim): boolean =>
  conditions.every(({ call, remedy, step }) => {
    const [from, to] = [literals(call), literals(remedy)];
    return step === undefined && to.length < from.length && to.every((one) => from.includes(one));
  });

/** The first calls of a run in the taught form and in the failing one, whatever came of them. */
export type FirstCalls = ClaimTries<Call>;

/**
 * Returns a search for the first calls in either form, from the start of a run, so that no failure selects them.
 * Undefined if the remedy is no form of the failing call.
 */
export function firstCallsOf({
  key,
  follow,
  conditions,
}: LearnedClaim): ((calls: readonly Call[]) => FirstCalls) | undefined {
  const forms = conditions.filter((one) => one.step !== undefined || keepsForm(one));
  const [first] = forms;
  const isNamed = isStep(key) || follow.some((one) => /^[-+][^⟨]*$/.test(one));
  if (first === undefined || !isNamed) return undefined;
  return (calls) => {
    let [taught, other]: (Call | undefined)[] = [];
    let isEdited = false;
    for (const call of calls) {
      if (taught !== undefined && other !== undefined) break;
      if (call.isEdit && (call.tool === 'shell' || call.tool !== first.tool)) isEdited = true;
      if (call.ok === undefined) continue;
      const failing = forms.find((one) => isOfForm(one, call));
      const isTaught = isStep(key)
        ? failing !== undefined && isPrepared(failing, calls, call)
        : forms.some((one) => matchesOf([one.remedy], [call.tokens]) !== undefined);
      // What was edited after the failing form may be why it works now.
      if (isTaught) taught ??= isEdited && other !== undefined ? undefined : call;
      else if (failing !== undefined && taught === undefined) other ??= call;
    }
    return { taught, other };
  };
}

/** The remedy is the failing form with a change: what it shares with it says that both are for the same. */
function keepsForm({ call, remedy }: Condition): boolean {
  const own = new Set(literals(remedy));
  const failing = literals(call);
  const kept = failing.filter((one) => own.has(one)).length;
  return kept >= failing.length - 1 && (kept > 0 || own.size > 0);
}

/** How many calls before another may have prepared it: what a run read or started once stays. */
const PREPARED_WITHIN = 200;

/** Whether the step worked before a call, for the same values. */
function isPrepared({ call: pattern, step = [], closed }: Condition, calls: readonly Call[], call: Call): boolean {
  return calls
    .slice(Math.max(0, call.at - PREPARED_WITHIN), call.at)
    .some(
      (earlier) =>
        earlier.ok === true &&
        [earlier.tokens, ...commandsOf(earlier)].some(
          (tokens) => matchesOf([pattern, step], [call.tokens, tokens], closed) !== undefined,
        ),
    );
}
