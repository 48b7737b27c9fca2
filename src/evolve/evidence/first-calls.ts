import type { Matcher, Matchers, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { asList, type MatchedCalls, ownPart, SplitMatchers } from './matched-calls.js';
import type { RecordedCall, RecordedExecution } from './recorded-execution.js';
import { type Arms, type ArmsOfExecution, type OutcomeOrder, sides } from './tried.js';

/**
 * Returns the comparisons of first calls, from the start of an execution, so that no failure selects them: `start` as
 * the predicate names it, or made from `attempt`; and `form`, made from `when` and `follow`.
 */
export function firstCalls(predicate: Predicate, executions: readonly RecordedExecution[]): (Arms | undefined)[] {
  return [startArms(predicate) ?? priorArms(predicate, executions), formArms(predicate, executions)];
}

/** The first call of an action in the taught form, or after a prior call, and the first one without. */
function startArms({ start }: Predicate): Arms | undefined {
  if (!start || (!start.form && !start.prior)) return undefined;
  const { action, form, prior } = start;
  const actions = new SplitMatchers(action);
  const taught = new SplitMatchers(prior ?? form ?? action);
  return {
    kind: 'start',
    over({ calls }) {
      const [ofAction, isTaught] = [actions.over(calls), taught.over(calls)];
      const readsOutcome = actions.readsOutcome || taught.readsOutcome;
      const sideOf = prior
        ? afterPrior(isTaught, ofAction)
        : (at: number, outcome: number) => sideIf(ofAction.matches(at, outcome), isTaught.matches(at, outcome));
      return firstOfEach(calls, sideOf, readsOutcome, (_, outcome) => calls[outcome]?.ok === true);
    },
  };
}

/** What only looks something up. Any other step before a call is frequent late in an execution, when more works anyway. */
const LOOK_UP_ACTION =
  /^(?:sql (?:show|desc|describe|explain|pragma)\b|(?:ls|find|fd|tree|pwd|grep|rg|cat|head|tail|which|stat|file|type)(?: |$)|git (?:status|log|show|diff|branch)(?: |$)|(?:.{1,80} )?(?:--help|help|--version|version|list|describe|show)$)/;
const LOOK_UP_TOOL =
  /^(?:glob|grep|ls|get|list|search|find|describe|fetch|lookup|show|read|view|inspect|explain|help|docs)(?=$|[_.|-])|[_.-](?:get|list|search|find|describe|show|view|lookup|schemas?|help|docs)(?=$|[_.|-])/;

const isLookUp = ({ action, tool }: Matcher): boolean =>
  action !== undefined ? LOOK_UP_ACTION.test(action) : tool !== undefined && LOOK_UP_TOOL.test(tool);

/**
 * From `attempt`, if the step only looks something up: the first call of an action that failed so in any of the executions, with the lesson's step done before
 * it, and the first without. It worked unless it shows the failure.
 */
function priorArms({ when, follow, attempt }: Predicate, executions: readonly RecordedExecution[]): Arms | undefined {
  if (!when || !follow || !attempt || !asList(follow).every(isLookUp)) return undefined;
  const [failed, steps] = [new SplitMatchers(when), new SplitMatchers(follow)];
  const actions = asList(attempt).map((one) => ({
    own: new SplitMatchers(ownPart(one) ?? {}),
    goals: one.sameAction ? namesOf(failed, executions, ({ goal }) => goal) : undefined,
    tools: one.sameTool ? namesOf(failed, executions, ({ tool }) => tool) : undefined,
  }));
  return {
    kind: 'start',
    over({ calls }) {
      const [failures, isStep] = [failed.over(calls), steps.over(calls)];
      const own = actions.map((action) => ({ ...action, matches: action.own.over(calls) }));
      const ofAction = (at: number): boolean =>
        own.some(({ matches, goals, tools }) => {
          const call = calls[at];
          return call && goals?.has(call.goal) !== false && tools?.has(call.tool) !== false && matches.matches(at, at);
        });
      let isDone = false;
      const sideOf = (at: number, outcome: number): Side => {
        if (at === 0) isDone = false;
        if (isStep.matches(at, outcome)) {
          isDone = true;
          return undefined;
        }
        return sideIf(ofAction(at), isDone);
      };
      const showsNone = (at: number, outcome: number): boolean =>
        calls[outcome]?.ok === true || !failures.matches(at, outcome);
      return firstOfEach(calls, sideOf, steps.readsOutcome, showsNone);
    },
  };
}

/** The names of the calls that failed so. */
function namesOf(
  failed: SplitMatchers,
  executions: readonly RecordedExecution[],
  name: (call: RecordedCall) => string,
): ReadonlySet<string> {
  return new Set(
    executions.flatMap(({ calls }) => {
      const failures = failed.over(calls);
      return calls.filter(({ ok }, at) => ok === false && failures.matches(at, at)).map(name);
    }),
  );
}

/**
 * From `when` and `follow`: the first call of the taught form, and the first of the form that fails, failed or not. Of
 * one goal, if the lesson is about the same action: a call for something else works for reasons of its own.
 */
function formArms(
  { when, follow, attempt, against }: Predicate,
  executions: readonly RecordedExecution[],
): Arms | undefined {
  if (!when || !follow || attempt) return undefined;
  const taught = ownParts(follow);
  const failing = ownParts(when);
  const isNamed = failing.length > 0 && failing.every(namesForm);
  const others = isNamed ? failing : against ? ownParts(against) : [];
  if (![taught, others].every((forms) => forms.length > 0 && forms.every(namesForm))) return undefined;
  const [isTaught, isOther] = [new SplitMatchers(taught), new SplitMatchers(others)];
  const tools = failing.flatMap(({ tool }) => (tool === undefined ? [] : [{ tool }]));
  const ofTool = new SplitMatchers(tools.length === failing.length && tools.length > 0 ? tools : {});
  const isOfGoal = asList(follow).every(({ sameAction }) => sameAction === true);
  const goals = isOfGoal ? namesOf(new SplitMatchers(when), executions, ({ goal }) => goal) : undefined;
  return {
    kind: 'form',
    over({ calls }) {
      const [form, other, tool] = [isTaught.over(calls), isOther.over(calls), ofTool.over(calls)];
      const isGoal = (at: number): boolean => goals?.has(calls[at]?.goal ?? '') !== false;
      const sideOf = (at: number): Side =>
        !isGoal(at)
          ? undefined
          : form.matches(at, at)
            ? true
            : other.matches(at, at) && tool.matches(at, at)
              ? false
              : undefined;
      return firstOfEach(calls, sideOf, false, (_, outcome) => calls[outcome]?.ok === true);
    },
  };
}

const ownParts = (matchers: Matchers): Matcher[] => asList(matchers).flatMap((one) => ownPart(one) ?? []);

/** True if the matcher names what is in a call, not only its tool. */
const namesForm = ({ args, notArgs, action, notAction }: Matcher): boolean =>
  [args, notArgs, action, notAction].some((one) => one !== undefined);

/** True: with what is taught. Undefined: the call enters no arm. */
type Side = boolean | undefined;

const sideIf = (enters: boolean, isTaught: boolean): Side => (enters ? isTaught : undefined);

function afterPrior(prior: MatchedCalls, action: MatchedCalls): (at: number, outcome: number) => Side {
  let isDone = false;
  return (at, outcome) => {
    if (at === 0) isDone = false;
    isDone ||= prior.matches(at, outcome);
    return sideIf(action.matches(at, outcome), isDone);
  };
}

/**
 * Returns the first call on each side whose result is known. `sideOf` is asked for the calls in order. If it reads no
 * outcome, the two calls are found once.
 */
function firstOfEach(
  calls: readonly RecordedCall[],
  sideOf: (at: number, outcome: number) => Side,
  readsOutcome: boolean,
  worked: (at: number, outcome: number) => boolean,
): ArmsOfExecution | undefined {
  const find = (outcomes?: OutcomeOrder): { taught: number; other: number } => {
    let [taught, other] = [-1, -1];
    for (let at = 0; at < calls.length && (taught < 0 || other < 0); at++) {
      const outcome = outcomes?.[at] ?? at;
      const side = sideOf(at, outcome);
      if (calls[outcome]?.ok === undefined) continue;
      if (side === true && taught < 0) taught = at;
      if (side === false && other < 0) other = at;
    }
    return { taught, other };
  };
  const found = readsOutcome ? undefined : find();
  if (found && found.taught < 0 && found.other < 0) return undefined;
  return (outcomes) => {
    const { taught, other } = found ?? find(outcomes);
    const result = (at: number): boolean | undefined => (at < 0 ? undefined : worked(at, outcomes[at] ?? at));
    return sides(result(taught), result(other));
  };
}
