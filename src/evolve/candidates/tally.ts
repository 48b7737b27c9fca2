import { compileMatchers } from '../../evidence/predicate/compiled-predicate.js';
import type { Matcher, Matchers, Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { newcombe } from '../statistics/newcombe.js';
import { WITHIN } from './firing.js';

/** A first try, and the failed call before it if there was one. */
export interface Try {
  readonly execution: RecordedExecution;
  readonly call: RecordedCall;
  readonly failed?: RecordedCall;
  readonly step?: RecordedCall;
  readonly worked: boolean;
}

export interface Tries {
  readonly with: readonly Try[];
  readonly without: readonly Try[];
}

/** First tries after the first failure of each execution that the predicate is about. */
export function triesAfter(predicate: Predicate, executions: readonly RecordedExecution[]): Tries {
  const { when, follow, attempt, against = { sameAction: true }, within = WITHIN } = predicate;
  const found = { with: [] as Try[], without: [] as Try[] };
  if (!when || !follow) return found;
  const isFailure = compileMatchers(when);
  const isFollowing = compileMatchers(follow);
  const isAttempt = attempt && compileMatchers(attempt);
  const isOther = compileMatchers(against);
  for (const execution of executions) {
    const at = execution.calls.findIndex((call) => call.ok === false && isFailure(call));
    const failed = execution.calls[at];
    if (!failed) continue;
    let step: RecordedCall | undefined;
    let other = false;
    for (const call of execution.calls.slice(at + 1, at + 1 + within)) {
      const follows = isFollowing(call, failed);
      if (attempt && follows && !step) {
        step = call;
        continue;
      }
      const isTry = isAttempt ? isAttempt(call, failed) : follows || isOther(call, failed);
      if (!isTry || call.ok === undefined) continue;
      const worked = call.ok && !isFailure(call);
      if (attempt ? step !== undefined : follows) {
        found.with.push({ execution, call, failed, worked, ...(step ? { step } : {}) });
        break;
      }
      if (!other) found.without.push({ execution, call, failed, worked });
      other = true;
    }
  }
  return found;
}

/** The first call of the taught form and the first of the other one in each execution, whether or not something failed. */
export function triesOfForm(
  { when, follow, against, attempt, start }: Predicate,
  executions: readonly RecordedExecution[],
): Tries {
  if (start) return triesOfStart(start, executions);
  const taught = follow && !attempt ? formOf(follow) : undefined;
  const other = (against && formOf(against)) ?? (when && formOf(when));
  if (!taught || !other) return { with: [], without: [] };
  const found = { with: [] as Try[], without: [] as Try[] };
  const ofTool = when && scopeOf(when);
  const isInScope = ofTool && compileMatchers(ofTool);
  const [isTaught, isOther] = [compileMatchers(taught), compileMatchers(other)];
  for (const execution of executions) {
    let [a, b] = [false, false];
    for (const call of execution.calls) {
      if (call.ok === undefined || (isInScope && !isInScope(call))) continue;
      const follows = isTaught(call);
      if (follows && !a) {
        found.with.push({ execution, call, worked: call.ok });
        a = true;
      } else if (!follows && !b && isOther(call)) {
        found.without.push({ execution, call, worked: call.ok });
        b = true;
      }
    }
  }
  return found;
}

function triesOfStart(
  { action, prior, form }: NonNullable<Predicate['start']>,
  executions: readonly RecordedExecution[],
): Tries {
  const found = { with: [] as Try[], without: [] as Try[] };
  const isAction = compileMatchers(action);
  const isForm = form && compileMatchers(form);
  const isPrior = prior && compileMatchers(prior);
  for (const execution of executions) {
    let done = false;
    let [a, b] = [false, false];
    for (const call of execution.calls) {
      if (call.ok !== undefined && isAction(call)) {
        const follows = isForm ? isForm(call) : done;
        if (follows ? !a : !b) found[follows ? 'with' : 'without'].push({ execution, call, worked: call.ok === true });
        if (follows) a = true;
        else b = true;
      }
      if (isPrior?.(call)) done = true;
    }
  }
  return found;
}

// Array.isArray does not narrow a readonly array
const listOf = (matchers: Matchers): readonly Matcher[] =>
  Array.isArray(matchers) ? (matchers as readonly Matcher[]) : [matchers as Matcher];

/** The tests that need no failed call; undefined if they say nothing about the form. */
function formOf(matchers: Matchers): Matcher[] | undefined {
  const all: Matcher[] = listOf(matchers).map(({ tool, notTool, action, notAction, args, notArgs }) =>
    Object.fromEntries(
      Object.entries({ tool, notTool, action, notAction, args, notArgs }).filter(([, value]) => value !== undefined),
    ),
  );
  const saysForm = all.every(({ args, notArgs, action, notAction }) => args ?? notArgs ?? action ?? notAction);
  return saysForm ? all : undefined;
}

function scopeOf(matchers: Matchers): Matcher[] | undefined {
  const tools = listOf(matchers).flatMap(({ tool }) => (tool === undefined ? [] : [{ tool }]));
  return tools.length > 0 ? tools : undefined;
}

export const workedIn = (tries: readonly Try[]): number => tries.filter(({ worked }) => worked).length;

/** The lower bound of the difference of the shares; -1 without tries on both sides. */
export function gainOf({ with: a, without: b }: Tries): number {
  if (a.length === 0 || b.length === 0) return -1;
  const difference = newcombe({ worked: workedIn(a), n: a.length }, { worked: workedIn(b), n: b.length });
  return difference?.low ?? -1;
}
