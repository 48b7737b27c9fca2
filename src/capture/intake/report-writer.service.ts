import { Injectable } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { Journal } from '../../journal/journal.service.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { textLength } from '../../platform/base/text-length.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { isCoveredBy, twinFormatsOf } from '../report/session-twin.js';
import { ExecutionRepository, type SessionInFormat, type Twin } from '../store/execution.repository.js';

/**
 * Most reports in one transaction. A commit costs about the same for one report or many, but a larger batch would hold
 * the journal's lock too long.
 */
const MAX_BATCH_SIZE = 100;
/** Characters of their texts: writing a statement with many large reports would block the event loop. */
const MAX_BATCH_CHARACTERS = 1_000_000;

/** A redacted report that waits to be stored. */
export interface IncomingReport {
  readonly actor: Reporter;
  readonly report: Sanitized<ExecutionReport>;
  readonly reportSha256: string;
  readonly origin: string;
  readonly findings: readonly Redaction[];
}

export interface WrittenReport {
  readonly id: string;
  /** Set if nothing was stored: the id under which the execution was reported in the other format. */
  readonly twin?: string;
}

const keyOf = ({ agentId, sessionId, format }: SessionInFormat): string => JSON.stringify([agentId, sessionId, format]);

/** Stores reports. Reports that wait for the same commit share one transaction; each caller is answered after it. */
@Injectable()
export class ReportWriter {
  private readonly batcher = new Batcher<IncomingReport, WrittenReport | undefined>(
    MAX_BATCH_SIZE,
    (reports) => this.store(reports),
    { weight: { of: ({ report }) => textLength(report), max: MAX_BATCH_CHARACTERS } },
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly executions: ExecutionRepository,
    private readonly captureWorker: CaptureWorker,
  ) {}

  /**
   * Stores and journals the report. Returns its id after the commit, or the execution that reports its session already;
   * undefined if the agent reported this execution before.
   */
  write(incoming: IncomingReport): Promise<WrittenReport | undefined> {
    return this.batcher.submit(incoming);
  }

  private async store(reports: readonly IncomingReport[]): Promise<(WrittenReport | undefined)[]> {
    const stored = await this.database.transaction((tx) => this.storeIn(tx, reports));
    if (stored.some((one) => one !== undefined && one.twin === undefined)) this.captureWorker.wake();
    return stored;
  }

  private async storeIn(tx: Tx, reports: readonly IncomingReport[]): Promise<(WrittenReport | undefined)[]> {
    const receivedAt = this.clock.now();
    const twins = await this.twinsOf(tx, reports);
    const rows = reports.map(({ actor, report, reportSha256, origin, findings }) => ({
      id: this.ids.uuid(),
      agentId: actor.id,
      ...actor.source,
      report,
      reportSha256,
      origin,
      findings,
      receivedAt,
    }));
    const inserted = await this.executions.insert(
      tx,
      rows.filter((_, n) => twins[n] === undefined),
    );
    const entries = reports.flatMap(({ actor, report, reportSha256, findings }, n) => {
      const id = rows[n]?.id;
      if (id === undefined || !inserted.has(id)) return [];
      const { status, toolCalls } = report;
      const data = { ...actor.source, reportSha256, redactions: findings, toolCalls: toolCalls.length, status };
      return [{ actor, action: 'execution.reported', subject: { type: 'execution', id }, data }];
    });
    await this.journal.appendAll(tx, entries);
    return rows.map(({ id }, n) => {
      const twin = twins[n];
      if (twin !== undefined) return { id: twin.id, twin: twin.executionId };
      return inserted.has(id) ? { id } : undefined;
    });
  }

  /**
   * For each report a stored execution that reports its session in another format, unless the session has gone on
   * since. Two servers that receive both at once store both; the later one then supersedes the other.
   */
  private async twinsOf(tx: Tx, reports: readonly IncomingReport[]): Promise<(Twin | undefined)[]> {
    const sessions = reports.map(({ actor, report: { executionId, sessionId } }) =>
      sessionId === undefined
        ? []
        : twinFormatsOf(executionId).map((format) => ({ agentId: actor.id, sessionId, format })),
    );
    const asked = sessions.flat();
    const found = asked.length === 0 ? [] : await this.executions.findTwins(tx, asked);
    const byKey = new Map(found.map((twin) => [keyOf(twin), twin]));
    return sessions.map((formats, n) =>
      formats
        .flatMap((session) => byKey.get(keyOf(session)) ?? [])
        .find((twin) => isCoveredBy(reports[n]?.report.finishedAt ?? '', twin.finishedAt)),
    );
  }
}
