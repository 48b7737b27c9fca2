import type { Arm, Comparison, Verdict } from '../../src/evidence/predicate/check.schema.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { armsOf } from '../../src/evolve/evidence/arms.js';
import { OutcomeShuffler } from '../../src/evolve/evidence/by-chance.js';
import {
  type Arms,
  type ArmsOfExecution,
  type Entrant,
  figuresOf,
  type OutcomeOrder,
  type Tried,
  triedBy,
} from '../../src/evolve/evidence/comparison.js';
import { permutationShare } from '../../src/evolve/evidence/permutation.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { isRefuted, looksBetter, pairsHold, permutationHolds, verdictOf } from '../../src/evolve/evidence/verdict.js';
import type { ExaminedCandidate } from '../../src/evolve/examination/family-examination.js';
import { type Random, seededRandom } from '../../src/evolve/statistics/seeded-random.js';
import { compareText } from '../../src/platform/base/compare-text.js';
import { type ExaminedFamily, type ExaminedLesson, strongest } from './examined.js';
import { type Mean, meanOfCounts } from './mean-interval.js';

/**
 * Repeats the check of every candidate with the outcomes of the calls shuffled within each execution, and counts the
 * lessons that it confirms. All candidates stay as they are, and share one shuffle per draw. The texts of an execution are
 * searched once for all draws.
 */
export function shuffledNull(lessons: readonly ExaminedLesson[], draws: number, seed: number): Mean {
  const executions = new Map<string, RecordedExecution>();
  for (const { candidates } of lessons)
    for (const { of } of candidates) for (const one of [...of.halves.a, ...of.halves.b]) executions.set(one.id, one);
  const ids = [...executions.keys()].sort(compareText);
  const drawer = new OutcomeDrawer(ids.flatMap((id) => executions.get(id) ?? []));
  const checks = lessons.map(({ candidates }) =>
    candidates.map(({ candidate, of }) => new RepeatedCheck(candidate.predicate, ...halvesFor(candidate, of))),
  );
  const random = seededRandom(seed);
  const counts = Array.from({ length: draws }, () => {
    const outcomes = drawer.next(random);
    const verdicts = checks.map((own) => strongest(own.map((check) => check.verdict(outcomes))));
    return verdicts.filter((one) => one === 'confirmed').length;
  });
  return meanOfCounts(counts);
}

/** The executions that a candidate was learned from, and those that it is checked on. */
function halvesFor({ heldOut }: ExaminedCandidate, { halves }: ExaminedFamily) {
  if (heldOut === undefined) return [[...halves.a, ...halves.b], []] as const;
  return heldOut === 'b' ? ([halves.a, halves.b] as const) : ([halves.b, halves.a] as const);
}

/** The outcomes of one draw, by the id of the execution. */
type DrawnOutcomes = ReadonlyMap<string, OutcomeOrder>;

/** Draws outcomes of calls within each execution. */
export class OutcomeDrawer {
  private readonly shufflers: ReadonlyMap<string, OutcomeShuffler>;

  /** In an order of their own. */
  constructor(executions: readonly RecordedExecution[]) {
    this.shufflers = new Map(executions.map(({ id, calls }) => [id, new OutcomeShuffler(calls.map(({ ok }) => ok))]));
  }

  next(random: Random): DrawnOutcomes {
    return new Map([...this.shufflers].map(([id, one]) => [id, Uint32Array.from(one.next(random))]));
  }
}

/** An execution that can enter an arm. */
interface Entering {
  readonly id: string;
  readonly agentId: string;
  readonly isHeldOut: boolean;
  readonly arms: ArmsOfExecution;
  readonly tried: Tried;
}

interface Prepared {
  readonly kind: Arms['kind'];
  readonly entering: readonly Entering[];
}

/** The check of one predicate, to be repeated with other outcomes. */
export class RepeatedCheck {
  private readonly prepared: readonly Prepared[];

  constructor(predicate: Predicate, learnedFrom: readonly RecordedExecution[], held: readonly RecordedExecution[]) {
    const isHeldOut = new Set(held.map(({ id }) => id));
    const all = [...learnedFrom, ...held].sort((a, b) => compareText(a.id, b.id));
    this.prepared = armsOf(predicate).map((arms) => ({
      kind: arms.kind,
      entering: all.flatMap((one) => enteringOf(arms, one, isHeldOut.has(one.id))),
    }));
  }

  /** The verdict with outcomes of a draw, or with the real ones. */
  verdict(outcomes?: DrawnOutcomes): Verdict {
    const tried = this.prepared.map(({ entering }) => entering.map((one) => triedIn(one, outcomes)));
    const comparisons = this.prepared.map((one, at) => comparisonOf(one, tried[at] ?? []));
    const seen = tried.map((own) => ({ with: armOf(own, 'with'), without: armOf(own, 'without') }));
    return verdictOf(comparisons, seen.find((arms) => arms.with.n > 0) ?? seen[0] ?? NOTHING_SEEN).verdict;
  }
}

const NOTHING_SEEN = { with: { worked: 0, n: 0 }, without: { worked: 0, n: 0 } };

function enteringOf(arms: Arms, execution: RecordedExecution, isHeldOut: boolean): Entering[] {
  const own = arms.over(execution);
  if (own === undefined) return [];
  return [{ id: execution.id, agentId: execution.agentId, isHeldOut, arms: own, tried: triedBy(own) }];
}

function triedIn({ id, arms, tried }: Entering, outcomes: DrawnOutcomes | undefined): Tried {
  const order = outcomes?.get(id);
  return order === undefined ? tried : triedBy(arms, order);
}

function armOf(tried: readonly Tried[], side: keyof Tried): Arm {
  const results = tried.flatMap((one) => one[side] ?? []);
  return { worked: results.filter(Boolean).length, n: results.length };
}

function comparisonOf(prepared: Prepared, tried: readonly Tried[]): Comparison {
  const { kind, entering } = prepared;
  const held = entering.flatMap(({ agentId, isHeldOut }, at) =>
    isHeldOut ? [{ agentId, tried: tried[at] ?? {} }] : [],
  );
  const figures = figuresOf(kind, held);
  const looksGood = looksBetter(figures);
  const isPaired = looksGood && pairsHold(figures);
  const permutation = looksGood && !isPaired ? permutationShare(figures, heldOutOf(entering)) : null;
  const isConfirmed = isPaired || (permutation !== null && permutationHolds(permutation));
  return { ...figures, permutation, verdict: isConfirmed ? 'confirmed' : isRefuted(figures) ? 'refuted' : 'undecided' };
}

const heldOutOf = (entering: readonly Entering[]): Entrant[] =>
  entering.filter(({ isHeldOut }) => isHeldOut).map((one) => ({ ...one, harness: '' }));
