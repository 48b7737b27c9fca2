import { compareText } from '../platform/base/compare-text.js';
import { sumBy } from '../platform/base/sum.js';
import { alwaysValidHalfWidth } from './always-valid.js';

/** Executions of one agent in one arm since the rollout began. The unit of randomisation is the agent. */
export interface AgentTally {
  readonly agent: string;
  /**
   * False for the control arm. The hash bucket decides, regardless of what the agent did with the skill (intention to
   * treat).
   */
  readonly withSkill: boolean;
  /** Executions of this agent in the window. */
  readonly executions: number;
  /** Executions in which the pattern's failure occurred. */
  readonly failures: number;
  /**
   * Stage of the ramp in which they happened; if left out, all belong to one stage. Arms are compared within a stage
   * only: the share with the skill grows from stage to stage, so any change over time would look like an effect.
   */
  readonly stage?: string;
}

export type EffectVerdict = 'helps' | 'no-difference-yet' | 'harms' | 'not-enough-data';

export interface EffectArm {
  /** Number of distinct agents with at least one execution in this arm. */
  readonly agents: number;
  readonly executions: number;
  readonly failures: number;
  /**
   * Failures per execution over all stages. With several stages, the difference of the two rates is not `difference`.
   */
  readonly rate: number | null;
}

export interface Effect {
  readonly with: EffectArm;
  readonly without: EffectArm;
  /**
   * Failure rate without the skill minus with it, as a fraction, not percent: positive means that it helps. Null with
   * too little data.
   */
  readonly difference: number | null;
  /** Confidence sequence, valid at every look, as fractions. */
  readonly interval: readonly [number, number] | null;
  readonly level: number;
  readonly verdict: EffectVerdict;
}

/** Minimum that each arm needs before there is a verdict. Only stages with both arms count. */
export const EFFECT_MINIMUM = {
  /** Kish's effective number, (Σn)² / Σn²: one busy agent among nine idle ones does not count as ten agents. */
  agents: 5,
  executions: 30,
};
const LEVEL = 0.95;

interface AgentCounts {
  readonly agent: string;
  readonly executions: number;
  readonly failures: number;
}
/** The agents without the skill, then those with it, in the order of the difference. */
type StageArms = readonly [readonly AgentCounts[], readonly AgentCounts[]];

/**
 * Failure rate without the skill minus with it, with an interval and a verdict that hold at every look.
 *
 * A rate is a ratio estimator, Σfailures / Σexecutions, because agents have different numbers of executions. Stages are
 * weighted as in the Mantel–Haenszel risk difference (Greenland and Robins 1985), n₀n₁/(n₀+n₁), so a stage with one arm
 * only has no weight. The variance is that of the linearised sum over agents (cluster-robust, Liang and Zeger 1986): an
 * agent's executions are correlated, and an agent that received the skill in a later stage counts once, with both arms.
 */
export function effectOf(tallies: readonly AgentTally[], level: number = LEVEL): Effect {
  // Sums of floating-point numbers depend on their order, and the same executions must give the same verdict.
  const counted = tallies.filter((tally) => tally.executions > 0).toSorted(byKey);
  const arms = { with: armOf(counted, true), without: armOf(counted, false), level };
  const stages = comparableStages(counted);
  const [without, withSkill] = [estimate(stages, 0), estimate(stages, 1)];
  if (!hasEnoughData(without) || !hasEnoughData(withSkill)) {
    return { ...arms, difference: null, interval: null, verdict: 'not-enough-data' };
  }
  const difference = without.rate - withSkill.rate;
  const half = alwaysValidHalfWidth(...varianceOf(without, withSkill), level);
  const interval = [Math.max(-1, difference - half), Math.min(1, difference + half)] as const;
  return { ...arms, difference, interval, verdict: verdictOf(interval) };
}

function verdictOf([low, high]: readonly [number, number]): EffectVerdict {
  if (low > 0) return 'helps';
  return high < 0 ? 'harms' : 'no-difference-yet';
}

function byKey(a: AgentTally, b: AgentTally): number {
  return (
    compareText(a.stage ?? '', b.stage ?? '') ||
    compareText(a.agent, b.agent) ||
    a.executions - b.executions ||
    a.failures - b.failures
  );
}

function armOf(tallies: readonly AgentTally[], withSkill: boolean): EffectArm {
  const own = tallies.filter((tally) => tally.withSkill === withSkill);
  const executions = sumBy(own, (tally) => tally.executions);
  const failures = sumBy(own, (tally) => tally.failures);
  const agents = new Set(own.map((tally) => tally.agent)).size;
  return { agents, executions, failures, rate: executions === 0 ? null : failures / executions };
}

function comparableStages(tallies: readonly AgentTally[]): StageArms[] {
  const stages = new Map<string, readonly [AgentCounts[], AgentCounts[]]>();
  for (const tally of tallies) {
    const stage = stages.get(tally.stage ?? '') ?? [[], []];
    stage[tally.withSkill ? 1 : 0].push(tally);
    stages.set(tally.stage ?? '', stage);
  }
  return [...stages.values()].filter(([without, withSkill]) => without.length > 0 && withSkill.length > 0);
}

interface Estimate {
  readonly rate: number;
  readonly executions: number;
  /** Kish's effective number of agents. */
  readonly agents: number;
  /** By agent, how far it moved the rate from the rate of the others. The values sum to zero. */
  readonly influence: ReadonlyMap<string, number>;
}

function estimate(stages: readonly StageArms[], arm: 0 | 1): Estimate {
  const total = sumBy(stages, mantelHaenszel);
  const influence = new Map<string, number>();
  const share = new Map<string, number>();
  let rate = 0;
  for (const stage of stages) {
    const weight = mantelHaenszel(stage) / total;
    const executions = executionsOf(stage[arm]);
    const stageRate = sumBy(stage[arm], (cell) => cell.failures) / executions;
    rate += weight * stageRate;
    for (const { agent, ...cell } of stage[arm]) {
      add(influence, agent, (weight * (cell.failures - stageRate * cell.executions)) / executions);
      add(share, agent, (weight * cell.executions) / executions);
    }
  }
  const agents = share.size === 0 ? 0 : 1 / sumBy([...share.values()], (value) => value ** 2);
  return { rate, executions: sumBy(stages, (stage) => executionsOf(stage[arm])), agents, influence };
}

function hasEnoughData({ agents, executions }: Estimate): boolean {
  // Tolerance for rounding: five agents with the same number of executions count as five.
  return agents >= EFFECT_MINIMUM.agents - 1e-9 && executions >= EFFECT_MINIMUM.executions;
}

/** Variance of the difference, and the degrees of freedom of its estimate (Welch–Satterthwaite). */
function varianceOf(a: Estimate, b: Estimate): [variance: number, degreesOfFreedom: number] {
  const own = [armVariance(a), armVariance(b)] as const;
  const shared = sumBy([...a.influence], ([agent, value]) => value * (b.influence.get(agent) ?? 0));
  const df = (own[0] + own[1]) ** 2 / (own[0] ** 2 / (a.agents - 1) + own[1] ** 2 / (b.agents - 1));
  return [own[0] + own[1] - 2 * shared, df];
}

/**
 * Adds two imaginary halves of an average agent to the variance, not to the rate: one that always failed and one that
 * never did, as in Jeffreys' prior. Otherwise the rate of an arm without failures would count as certain.
 */
function armVariance({ rate, agents, influence }: Estimate): number {
  const seen = sumBy([...influence.values()], (value) => value ** 2);
  return (seen * agents) / (agents - 1) + (rate ** 2 + (1 - rate) ** 2) / (2 * agents) ** 2;
}

/** Symmetric in the arms; zero if one of them is empty. */
function mantelHaenszel([without, withSkill]: StageArms): number {
  const [a, b] = [executionsOf(without), executionsOf(withSkill)];
  return (a * b) / (a + b);
}

function executionsOf(cells: readonly AgentCounts[]): number {
  return sumBy(cells, (cell) => cell.executions);
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}
