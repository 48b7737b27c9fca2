import { Inject, Injectable, Logger } from '@nestjs/common';
import { ThreadPool, threadTask } from '../../platform/background/thread-pool.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { messageOf } from '../../platform/base/error-text.js';
import { textLength } from '../../platform/base/text-length.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import type { HashedReport, ReportReferences } from '../report/report-identifiers.js';
import sanitiseInTime from '../report/report-sanitising.thread.js';

const SANITISING = threadTask(sanitiseInTime, '../report/report-sanitising.thread', import.meta.url);
/** What a report may need beyond the budget: the fields outside the tool calls, and the text that is being redacted. */
const GRACE_MS = 5_000;

/** Sanitises reports without blocking the event loop, each within its time. */
@Injectable()
export class ReportSanitiser {
  private readonly logger = new Logger(ReportSanitiser.name);
  private readonly budgetMs: number;

  constructor(
    private readonly threads: ThreadPool,
    @Inject(CONFIG) config: Config,
  ) {
    this.budgetMs = config.reportTimeBudgetMs;
  }

  /**
   * The redacted report with its hash, and with these references in the place of its identifiers. When its time is used up, the texts of the remaining tool calls are withheld and
   * counted. If a thread dies or hangs over the report, those of all tool calls are.
   */
  async sanitise(agentId: string, report: ExecutionReport, references: ReportReferences = {}): Promise<HashedReport> {
    const size = textLength(report);
    const run = (budgetMs: number) =>
      this.threads.run(
        SANITISING,
        { report, references, budgetMs },
        { key: agentId, size, limitMs: budgetMs + GRACE_MS },
      );
    try {
      return await run(this.budgetMs);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.logger.warn(`a report of ${size} characters is stored without the texts of its calls: ${messageOf(error)}`);
      return run(0);
    }
  }
}
