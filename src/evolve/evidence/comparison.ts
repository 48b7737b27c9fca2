import type { ArmKind, Comparison } from '../../evidence/predicate/check.schema.js';
import { groupsOf } from '../../platform/base/sum.js';
import { fisherExact, signTest } from '../statistics/exact-tests.js';
import { mantelHaenszel, type Stratum } from '../statistics/mantel-haenszel.js';
import { newcombe, type Tries } from '../statistics/newcombe.js';
import type { RecordedExecution } from './recorded-execution.js';

/** An execution that can enter an arm of a comparison. */
export interface Entrant {
  readonly agentId: string;
  /** Undefined if the report does not say. */
  readonly harness: string | undefined;
  readonly arms: ArmsOfExecution;
  /** What happened. */
  readonly tried: Tried;
}

/** What is counted, before the test by permutation and the verdict. */
export type Figures = Omit<Comparison, 'permutation' | 'verdict'>;

/** Prepares the executions of a comparison. */
export function entrantsOf(over: Arms['over'], executions: readonly RecordedExecution[]): Entrant[] {
  return executions.flatMap((execution) => {
    const arms = over(execution);
    if (!arms) return [];
    const { agentId, environment } = execution;
    return { agentId, harness: environment.harness, arms, tried: triedBy(arms) };
  });
}

/** Compares the tries of both sides. */
export function figuresOf(kind: ArmKind, entrants: readonly Pick<Entrant, 'agentId' | 'tried'>[]): Figures {
  const tries = entrants.map(({ tried }) => tried);
  const { with: taught, without: other } = armsOfTries(tries);
  const within = mantelHaenszel(strataOf(entrants));
  return {
    kind,
    with: taught,
    without: other,
    difference: newcombe(taught, other),
    p: taught.n === 0 || other.n === 0 ? null : fisherExact(taught, other),
    withinAgents: within && { agents: within.strata, difference: within.value, low: within.low, high: within.high },
    pairs: pairsOf(tries),
  };
}

/** The tries on both sides. */
const armsOfTries = (tries: readonly Tried[]): Stratum => ({
  with: armOf(tries, 'with'),
  without: armOf(tries, 'without'),
});

function armOf(tries: readonly Tried[], side: keyof Tried): Tries {
  let [worked, n] = [0, 0];
  for (const tried of tries) {
    const result = tried[side];
    if (result === undefined) continue;
    n++;
    if (result) worked++;
  }
  return { worked, n };
}

/** The tries on both sides by agent. */
const strataOf = (entrants: readonly Pick<Entrant, 'agentId' | 'tried'>[]): Stratum[] =>
  [...groupsOf(entrants, ({ agentId }) => agentId).values()].map((own) => armsOfTries(own.map(({ tried }) => tried)));

/** Executions with a try on both sides, of which only one worked. */
function pairsOf(tries: readonly Tried[]): Figures['pairs'] {
  const both = tries.filter((tried) => tried.with !== undefined && tried.without !== undefined);
  if (both.length === 0) return null;
  const better = both.filter((tried) => tried.with && !tried.without).length;
  const worse = both.filter((tried) => !tried.with && tried.without).length;
  return { better, worse, p: signTest(better, worse) };
}

/** For each call of an execution the place of the call whose outcome it has: its own, unless outcomes are shuffled. */
export type OutcomeOrder = Readonly<Uint32Array>;

/** Whether the first try on either side worked; a side without a try whose result is known is missing. */
export interface Tried {
  readonly with?: boolean | undefined;
  readonly without?: boolean | undefined;
}

/** A comparison, ready for executions. */
export interface Arms {
  readonly kind: ArmKind;
  /** Searches the texts of an execution once. Undefined if it can enter no arm, whatever its outcomes. */
  over(execution: RecordedExecution): ArmsOfExecution | undefined;
}

/** The places of the first tries among the calls. They do not depend on the outcomes, which may be those of others. */
export interface ArmsOfExecution {
  readonly with: number | undefined;
  readonly without: number | undefined;
  /** By call, whether it worked; undefined: its outcome stays where it is. */
  readonly known: readonly (boolean | undefined)[];
  /** By call, what its outcome says about a try. */
  readonly results: readonly (boolean | undefined)[];
}

/** What the tries say, with the outcomes in their own order or in another one. */
export function triedBy(arms: ArmsOfExecution, order?: OutcomeOrder): Tried {
  const result = (at: number | undefined) => (at === undefined ? undefined : arms.results[order?.[at] ?? at]);
  return { with: result(arms.with), without: result(arms.without) };
}
