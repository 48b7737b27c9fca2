import type { ArmKind, Check, Comparison } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { appliesTo } from '../../learning/lessons/claim.js';
import { armsOf } from './arms.js';
import { type Entrant, entrantsOf, type Figures, figuresOf } from './comparison.js';
import { leftOut } from './left-out.js';
import { permutationShare } from './permutation.js';
import { inOrder, type RecordedCall, type RecordedExecution } from './recorded-execution.js';
import { isRefuted, looksBetter, pairsHold, permutationHolds, verdictOf } from './verdict.js';

/** A lesson, and executions that it was not learned from. */
export interface HeldOut {
  readonly predicate: Predicate;
  readonly held: readonly RecordedExecution[];
}

/** A predicate with the executions that it is checked on. */
export interface CheckInput {
  readonly predicate: Predicate;
  /** True for a failed call of the family that the lesson is about. */
  readonly isFamily: (call: RecordedCall) => boolean;
  /** Executions that the lesson was not learned from. */
  readonly held: readonly RecordedExecution[];
  /** The versions that parts of the executions teach, with the others that test them, instead of the published one. */
  readonly versions?: readonly HeldOut[] | undefined;
  /** All executions of the sample. */
  readonly all: readonly RecordedExecution[];
  readonly split: Check['split'];
}

/**
 * Checks a predicate by counting (docs/decisions, decision 23): each of its comparisons on the held-out executions, what
 * is seen in all of them, the scope of its condition, and whether it hangs on one agent or harness. Pure; the order of the
 * executions does not matter.
 */
export function checkPredicate({ predicate, isFamily, held, versions, all, split }: CheckInput): Check {
  const sample = onceEach([...all, ...held]);
  const tests = (versions ?? [{ predicate, held }]).map((one) => {
    const isHeld = new Set(one.held.map(({ id }) => id));
    const own = sample.filter(({ id }) => isHeld.has(id));
    return armsOf(one.predicate).map(({ kind, over }) => ({ kind, entrants: entrantsOf(over, own) }));
  });
  const kinds = [...new Set(tests.flatMap((arms) => arms.map(({ kind }) => kind)))];
  const compared = kinds.map((kind) =>
    compare(
      kind,
      tests.flatMap((arms) => arms.filter((one) => one.kind === kind).flatMap(({ entrants }) => entrants)),
    ),
  );
  const comparisons = compared.map(({ comparison }) => comparison);
  const arms = armsOf(predicate);
  const seen = seenIn(arms.map(({ kind, over }) => figuresOf(kind, entrantsOf(over, sample))));
  const { verdict, by } = verdictOf(comparisons, seen);
  const deciding = verdict === 'confirmed' ? compared.find(({ comparison }) => comparison.kind === by) : undefined;
  const without = (groupOf: (entrant: Entrant) => string | undefined) =>
    deciding ? leftOut(deciding.comparison.kind, deciding.entrants, groupOf) : null;
  return {
    verdict,
    split,
    by,
    comparisons,
    seen,
    scope: scopeOf(predicate, sample, isFamily),
    withoutOneAgent: without(({ agentId }) => agentId),
    withoutOneHarness: without(({ harness }) => harness),
  };
}

/** Returns a test for the failed calls that a lesson is about; one that the learning core did not find is about none. */
export const covers =
  ({ learned }: Predicate): ((call: RecordedCall) => boolean) =>
  ({ read }) =>
    learned !== undefined && appliesTo(learned, read);

/** Each execution once, in order. */
const onceEach = (executions: readonly RecordedExecution[]): RecordedExecution[] =>
  [...new Map(executions.map((one) => [one.id, one])).values()].sort(inOrder);

interface Compared {
  readonly comparison: Comparison;
  readonly entrants: readonly Entrant[];
}

function compare(kind: ArmKind, entrants: readonly Entrant[]): Compared {
  const figures = figuresOf(kind, entrants);
  const permutation = needsPermutation(figures) ? permutationShare(figures, entrants) : null;
  const isConfirmed =
    looksBetter(figures) && (pairsHold(figures) || (permutation !== null && permutationHolds(permutation)));
  const verdict = isConfirmed ? 'confirmed' : isRefuted(figures) ? 'refuted' : 'undecided';
  return { entrants, comparison: { ...figures, permutation, verdict } };
}

/** Shuffles cost time, and decide only if nothing else does. */
const needsPermutation = (figures: Figures): boolean => looksBetter(figures) && !pairsHold(figures);

/** The arms of the first comparison in which the action was taken. */
function seenIn(seen: readonly Figures[]): Check['seen'] {
  const first = seen.find((figures) => figures.with.n > 0) ?? seen[0];
  const none = { worked: 0, n: 0 };
  return { with: first?.with ?? none, without: first?.without ?? none };
}

function scopeOf(
  predicate: Predicate,
  all: readonly RecordedExecution[],
  isFamily: (call: RecordedCall) => boolean,
): Check['scope'] {
  const isCovered = covers(predicate);
  // A failure of the environment is one of no family.
  const matching = all.flatMap(({ calls }) => calls.filter((call) => call.failure !== undefined && isCovered(call)));
  if (matching.length === 0) return null;
  return { share: matching.filter(isFamily).length / matching.length, n: matching.length };
}
