import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { timeBudget } from '../../platform/background/time-budget.js';
import type { ExecutionReport } from './execution-report.schema.js';
import { type HashedReport, hashReport, type ReportReferences } from './report-identifiers.js';
import { sanitiseReport } from './sanitised-report.js';

lowerThreadPriority();

interface Input {
  readonly report: ExecutionReport;
  readonly references: ReportReferences;
  /** Milliseconds that the tool calls may take together. */
  readonly budgetMs: number;
}

export default function sanitiseInTime({ report, references, budgetMs }: Input): HashedReport {
  // The references before as well, so that an identifier is not counted as a secret.
  return hashReport(sanitiseReport({ ...report, ...references }, timeBudget(budgetMs)), references);
}
