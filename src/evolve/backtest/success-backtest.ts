import type { BacktestResult } from '../drafts/backtest-result.js';
import type { Draft } from '../drafts/draft.js';
import { precedingSteps } from '../patterns/success.js';
import { wilson } from '../statistics/wilson.js';
import { Backtest, type BacktestExecution, backtestResultOf } from './backtest.js';

interface Half {
  read: number;
  with: { succeeded: number; executions: number };
  without: { succeeded: number; executions: number };
}

/**
 * Tests a success pattern on stored executions by halves, as {@link Backtest} does for failures. Its condition fires if
 * an execution with a verification uses the action. An execution supports the pattern if it succeeded with the step or
 * failed without it; otherwise it is a near miss.
 */
export class SuccessBacktest {
  private readonly halves: readonly [Half, Half] = [emptyHalf(), emptyHalf()];

  constructor(private readonly evidence: Pick<Draft['evidence'], 'failingAction' | 'chosen'>) {}

  add({ observed: { workflow }, half: side }: BacktestExecution): void {
    const half = this.halves[side];
    half.read += 1;
    const before = workflow && precedingSteps(workflow).get(this.evidence.failingAction);
    if (!workflow || !before) return;
    const group = before.has(this.evidence.chosen.action) ? half.with : half.without;
    group.executions += 1;
    if (workflow.succeeded) group.succeeded += 1;
  }

  result(): BacktestResult {
    const [a, b] = this.halves;
    const tests = [...(favoursStep(a) ? [b] : []), ...(favoursStep(b) ? [a] : [])].map((half) => {
      const fired = half.with.executions + half.without.executions;
      const supporting = half.with.succeeded + half.without.executions - half.without.succeeded;
      return { read: half.read, supporting, nearMisses: fired - supporting, missed: 0 };
    });
    return backtestResultOf(tests, a.read + b.read);
  }
}

/** Returns whether executions of this half alone succeed clearly more often with the step. */
function favoursStep({ with: done, without }: Half): boolean {
  const [rate, other] = [wilson(done.succeeded, done.executions), wilson(without.succeeded, without.executions)];
  return rate.n >= 3 && other.n >= 3 && rate.lower > other.rate;
}

const emptyHalf = (): Half => ({
  read: 0,
  with: { succeeded: 0, executions: 0 },
  without: { succeeded: 0, executions: 0 },
});

/** Returns the backtest for the kind of a draft. */
export function backtestOf(draft: Draft): Backtest | SuccessBacktest {
  return draft.evidence.granularity === 'success' ? new SuccessBacktest(draft.evidence) : new Backtest(draft);
}
