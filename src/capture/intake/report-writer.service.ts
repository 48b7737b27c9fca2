import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { originOf } from '../report/origin.js';
import { ExecutionRepository } from '../store/execution.repository.js';

/** A commit takes about as long for many reports as for one; more than these would hold up the journal's head. */
const MAX_BATCH_SIZE = 100;

/** A report, redacted, on its way in. */
export interface IncomingReport {
  readonly actor: AgentActor;
  readonly report: Sanitized<ExecutionReport>;
  readonly reportSha256: string;
  readonly findings: readonly Redaction[];
}

/** Stores what comes in: reports that wait for the same commit share one, and each is answered after it. */
@Injectable()
export class ReportWriter {
  private readonly batcher = new Batcher<IncomingReport, string | undefined>(MAX_BATCH_SIZE, (reports) =>
    this.store(reports),
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly executions: ExecutionRepository,
    private readonly captureWorker: CaptureWorker,
  ) {}

  /** Stores the report and journals it, once it is committed: its id, or nothing where its agent reported it before. */
  write(incoming: IncomingReport): Promise<string | undefined> {
    return this.batcher.submit(incoming);
  }

  private async store(reports: readonly IncomingReport[]): Promise<(string | undefined)[]> {
    const stored = await this.database.transaction(async (tx) => {
      const receivedAt = this.clock.now();
      const rows = reports.map(({ actor, report, reportSha256, findings }) => ({
        id: this.ids.uuid(),
        agentId: actor.id,
        report,
        reportSha256,
        origin: originOf(report),
        findings,
        receivedAt,
      }));
      const inserted = await this.executions.insert(tx, rows);
      const entries = reports.flatMap(({ actor, report, reportSha256, findings }, n) => {
        const id = rows[n]?.id;
        if (id === undefined || !inserted.has(id)) return [];
        const data = { reportSha256, redactions: findings, toolCalls: report.toolCalls.length, status: report.status };
        return [{ actor, action: 'execution.reported', subject: { type: 'execution', id }, data }];
      });
      await this.journal.appendAll(tx, entries);
      return rows.map(({ id }) => (inserted.has(id) ? id : undefined));
    });
    if (stored.some((id) => id !== undefined)) this.captureWorker.wake();
    return stored;
  }
}
