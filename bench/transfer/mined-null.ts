import type { StoredExecution } from '../../src/capture/observations/observation.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { OutcomeOrder } from '../../src/evolve/evidence/comparison.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { seededRandom } from '../../src/evolve/statistics/seeded-random.js';
import { CYCLE_DEFAULTS, runCycle } from '../../test/support/cycles.js';
import { type Mean, meanOfCounts } from './mean-interval.js';
import { OutcomeDrawer } from './shuffled-null.js';

/** Proposals of a cycle by verdict, also those that wait for room in the queue. */
export interface Proposed {
  readonly confirmed: number;
  readonly observed: number;
}

/** Proposals per cycle. */
export interface MinedNull {
  readonly confirmed: Mean;
  readonly observed: Mean;
}

/**
 * Runs whole cycles, which choose their candidates, over executions whose outcomes are chance: shuffled within each
 * execution with their errors. `recorded`: the same executions as tables of calls, which say whose results are known.
 * `run`: what a cycle proposes.
 */
export function minedNull(
  executions: readonly StoredExecution[],
  recorded: readonly RecordedExecution[],
  { cycles, seed, run = proposalsOf }: { cycles: number; seed: number; run?: typeof proposalsOf },
): MinedNull {
  const drawer = new OutcomeDrawer(recorded);
  const random = seededRandom(seed);
  const counts = Array.from({ length: cycles }, () => {
    const outcomes = drawer.next(random);
    return run(executions.map((one) => withOutcomes(one, outcomes.get(one.id))));
  });
  return {
    confirmed: meanOfCounts(counts.map(({ confirmed }) => confirmed)),
    observed: meanOfCounts(counts.map(({ observed }) => observed)),
  };
}

/** How many proposals a cycle with default settings writes, by verdict. */
export function proposalsOf(executions: readonly StoredExecution[]): Proposed {
  const { drafts, heldBack } = runCycle({
    executions,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
  const verdicts = [...drafts, ...heldBack].map(({ evidence }) => evidence.check.verdict);
  const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length;
  return { confirmed: count('confirmed'), observed: count('observed') };
}

/** The execution with the outcome of each call taken from the call at its place of `order`. */
function withOutcomes(execution: StoredExecution, order: OutcomeOrder | undefined): StoredExecution {
  const { report } = execution;
  const { toolCalls } = report;
  const shuffled = toolCalls.map((call, at) => withOutcomeOf(call, toolCalls[order?.[at] ?? at] ?? call));
  return { ...execution, report: { ...report, toolCalls: shuffled } };
}

/** What was called stays; what came of it is that of the other call. */
const withOutcomeOf = ({ name, action, arguments: given, reply }: ToolCall, other: ToolCall): ToolCall => ({
  ...other,
  name,
  action,
  arguments: given,
  reply,
});
