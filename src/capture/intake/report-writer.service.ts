import { Injectable } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { Journal } from '../../journal/journal.service.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { textLength } from '../../platform/base/text-length.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { count } from '../../platform/telemetry/metrics.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Redaction } from '../../untrusted/text/redaction.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { areTwins, isCoveredBy, isOfOneSession, twinFormatsOf } from '../report/session-twin.js';
import { ExecutionRepository, type ReportedAs, type Twin, type WorkSource } from '../store/execution.repository.js';

/**
 * Most reports in one transaction. A commit costs about the same for one report or many, but a larger batch would hold
 * the journal's lock too long.
 */
const MAX_BATCH_SIZE = 100;
/** Characters of their texts: writing a statement with many large reports would block the event loop. */
const MAX_BATCH_CHARACTERS = 1_000_000;

/** Importers make an id of the format and what the record holds; agents that report themselves may give any. */
const IMPORTED = /^[a-z][\w-]*:/;

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
  /** Set if nothing was stored: the id under which the execution was reported in another format or for another agent. */
  readonly twin?: string;
}

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
    stored.forEach((one, n) => {
      countReport(one, reports[n]?.findings ?? []);
    });
    if (stored.some((one) => one !== undefined && one.twin === undefined)) this.captureWorker.wake();
    return stored;
  }

  private async storeIn(tx: Tx, reports: readonly IncomingReport[]): Promise<(WrittenReport | undefined)[]> {
    const receivedAt = this.clock.now();
    const ids = reports.map(() => this.ids.uuid());
    const sessions = await this.twinsOf(tx, reports, ids);
    const copies = await this.copiesOf(tx, reports, ids);
    const twins = reports.map((_, n) => copies[n] ?? sessions[n]);
    const rows = reports.map(({ actor, report, reportSha256, origin, findings }, n) => ({
      id: ids[n] ?? '',
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
   * For each report the same execution of another agent of its owner or reporter, stored or earlier in the batch: who
   * imports what was connected, or names its agents otherwise, reports the same work once more.
   */
  private async copiesOf(
    tx: Tx,
    reports: readonly IncomingReport[],
    ids: readonly string[],
  ): Promise<((ReportedAs & { readonly id: string }) | undefined)[]> {
    const asked = reports.map(({ actor, report: { executionId }, reportSha256 }, n) => ({
      ...keysOf(actor),
      id: ids[n] ?? '',
      executionId,
      reportSha256,
    }));
    const known = await this.executions.findReportedAs(tx, asked);
    return asked.map((own) => {
      const copy = known.find(
        (other) =>
          other.agentId !== own.agentId &&
          other.executionId === own.executionId &&
          isOfSameSource(other, own) &&
          (isOfOneSession(own.executionId) ||
            (IMPORTED.test(own.executionId) && other.reportSha256 === own.reportSha256)),
      );
      if (copy === undefined) known.push(own);
      return copy;
    });
  }

  /**
   * For each report the execution that reports its session in another format, stored or earlier in the batch, unless the
   * session has gone on since. Two servers that receive both at once store both; the later one then supersedes the other.
   */
  private async twinsOf(
    tx: Tx,
    reports: readonly IncomingReport[],
    ids: readonly string[],
  ): Promise<(Twin | undefined)[]> {
    const asked = reports.flatMap(({ actor, report: { executionId, sessionId } }) =>
      sessionId === undefined
        ? []
        : twinFormatsOf(executionId).map((format) => ({ ...keysOf(actor), sessionId, format })),
    );
    const known = asked.length === 0 ? [] : await this.executions.findTwins(tx, asked);
    const bySession = new Map<string, Twin[]>();
    for (const twin of known) addTo(bySession, twin);
    return reports.map(({ actor, report }, n) => {
      const { sessionId, executionId, finishedAt } = report;
      if (sessionId === undefined || twinFormatsOf(executionId).length === 0) return undefined;
      const as = { finishedAt: new Date(finishedAt), calls: report.toolCalls.length };
      const own = { ...keysOf(actor), sessionId, id: ids[n] ?? '', executionId, ...as };
      const twin = bySession.get(sessionId)?.find((other) => isTwinOf(other, own) && isCoveredBy(report, other));
      if (twin === undefined) addTo(bySession, own);
      return twin;
    });
  }
}

const keysOf = ({ id, source: { reporterId, owner } }: Reporter): WorkSource => ({ agentId: id, reporterId, owner });

const isOfSameSource = (one: WorkSource, other: WorkSource): boolean =>
  one.agentId === other.agentId ||
  one.reporterId === other.reporterId ||
  (one.owner !== null && one.owner === other.owner);

const isTwinOf = (one: Twin, other: Twin): boolean =>
  areTwins(one.executionId, other.executionId) && isOfSameSource(one, other);

function addTo(bySession: Map<string, Twin[]>, twin: Twin): void {
  bySession.set(twin.sessionId, [...(bySession.get(twin.sessionId) ?? []), twin]);
}

/** Counts a report after its commit. */
function countReport(written: WrittenReport | undefined, findings: IncomingReport['findings']): void {
  const result = written === undefined ? 'duplicate' : written.twin === undefined ? 'stored' : 'twin';
  count('guildbook_reports_total', { result });
  if (result === 'stored')
    for (const { rule, count: by } of findings) count('guildbook_redactions_total', { rule }, by);
}
