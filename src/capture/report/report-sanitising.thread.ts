import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { timeBudget } from '../../platform/background/time-budget.js';
import type { ExecutionReport } from './execution-report.schema.js';
import { type HashedReport, hashReport } from './hashed-report.js';
import { sanitiseReport } from './sanitised-report.js';

lowerThreadPriority();

interface Input {
  readonly report: ExecutionReport;
  /** Milliseconds that the tool calls may take together. */
  readonly budgetMs: number;
}

export default function sanitiseInTime({ report, budgetMs }: Input): HashedReport {
  return hashReport(sanitiseReport(report, timeBudget(budgetMs)));
}
