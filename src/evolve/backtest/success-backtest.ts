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
 * Tests a success pattern on stored executions, as {@link Backtest} does the others: by halves, each by what the other
 * teaches. Its condition fires where the action is used in an execution that somebody judged. It supports the pattern
 * where the execution succeeded with the step or failed without it, and is a near miss where it was the other way round.
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

/** The half alone says that it goes better with the step, and more than a little. */
function favoursStep({ with: done, without }: Half): boolean {
  const [rate, other] = [wilson(done.succeeded, done.executions), wilson(without.succeeded, without.executions)];
  return rate.n >= 3 && other.n >= 3 && rate.lower > other.rate;
}

const emptyHalf = (): Half => ({
  read: 0,
  with: { succeeded: 0, executions: 0 },
  without: { succeeded: 0, executions: 0 },
});

/** The test that suits what a proposal was learned from. */
export function backtestOf(draft: Draft): Backtest | SuccessBacktest {
  return draft.evidence.granularity === 'success' ? new SuccessBacktest(draft.evidence) : new Backtest(draft);
}
