import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ReportSource } from '../../access/identity/reporter.js';
import { FIRST_TURN, nextInTurn, type QueuedRow, type SharedQueue } from '../../platform/background/next-in-turn.js';
import { sumBy } from '../../platform/base/sum.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Finding } from '../../untrusted/redaction/redact.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { boundedTimes, statedTimes } from '../report/bounded-times.js';
import { type CallOutcomes, countedCalls, countedKeys, markCopies } from '../report/call-lineage.js';
import { ExecutionReport } from '../report/execution-report.schema.js';
import { hasFailed } from '../report/outcome.js';
import type { AgentRunCounts, ExecutionSummary } from './executions.schema.js';
import { IS_LATEST, isCopy, LineageRepository } from './lineage.repository.js';

export interface NewExecution extends ReportSource {
  readonly id: string;
  readonly agentId: string;
  readonly report: Sanitized<ExecutionReport>;
  readonly reportSha256: string;
  readonly origin: string;
  readonly findings: readonly Finding[];
  readonly receivedAt: Date;
}

/** Whose work a report tells of. */
export interface WorkSource {
  readonly agentId: string;
  readonly reporterId: string;
  /** The stated owner of the agent. */
  readonly owner: string | null;
}

/** A session as one format reports it, by its agent or by an importer for it. */
export interface SessionInFormat extends WorkSource {
  readonly sessionId: string;
  readonly format: string;
}

/** An execution as it may be reported once more, for another agent. */
export interface ReportedAs extends WorkSource {
  readonly executionId: string;
  readonly reportSha256: string;
}

/** An execution that reports a session in another format. */
export interface Twin extends Omit<SessionInFormat, 'format'> {
  readonly id: string;
  readonly executionId: string;
  readonly finishedAt: Date;
  readonly calls: number | null;
}

/** A stored execution with its agent. */
export interface StoredReport {
  readonly id: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly owner: string;
  readonly origin: string;
  readonly receivedAt: Date;
  /** ISO 8601, bounded by the server's clock. */
  readonly finishedAt: string;
  /** The places of the calls of its record that count in another session. */
  readonly copied: readonly number[];
  /** With those marked. */
  readonly report: ExecutionReport;
}

/** Executions that capture has not observed. */
export const PENDING_EXECUTIONS = (): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min("received_at") AS "oldest" FROM "execution" WHERE "capture_state" = 'pending'`;

const PENDING: SharedQueue = {
  table: Prisma.sql`"execution"`,
  due: Prisma.sql`"capture_state" = 'pending'`,
  age: Prisma.sql`"received_at"`,
};

/** As {@link hasFailed} says, of an execution `e`. Reports of earlier versions are judged by their text. */
const FAILED = Prisma.sql`coalesce(e."failed", CASE WHEN e."report"->'verification'->>'outcome' = 'failed' THEN true
  WHEN e."report"->'verification'->>'outcome' = 'succeeded' AND e."report"->'verification'->>'source' <> 'self' THEN false
  ELSE e."status" <> 'completed' END)`;

/** Which executions without a result of capture are known to hold a call: those that are read, or all. */
type PendingHolders = 'these' | 'all';

/** What a list of executions is limited to. */
interface ExecutionFilter {
  captureState?: 'pending';
  executionId?: string;
  id?: { in: string[] };
  agent?: { name: string };
}

const AGENTS_SHOWN = 50;
/** Bytes of the reports that capture reads at once, as the database compresses them: 20 ordinary ones have half of it. */
const READ_AT_ONCE_BYTES = 131_072;
/** Executions whose reports a list reads at once: the largest are 3.7 MB each. */
const LISTED_AT_ONCE = 10;

const Findings = z.array(z.object({ rule: z.string(), count: z.int() }));
const withAgent = { agent: true } as const;
type Row = Awaited<ReturnType<Tx['execution']['findUniqueOrThrow']>> & {
  agent: { id: string; name: string; owner: string | null };
};

function toStored(row: Row, raw: ExecutionReport, copied: readonly number[]): StoredReport {
  const report = markCopies(raw, copied);
  const isBounded = Date.parse(report.finishedAt) !== row.finishedAt.getTime();
  return {
    id: row.id,
    agentId: row.agentId,
    agentName: row.agent.name,
    owner: row.agent.owner ?? row.agent.id,
    origin: row.origin,
    receivedAt: row.receivedAt,
    finishedAt: isBounded ? row.finishedAt.toISOString() : report.finishedAt,
    copied,
    report,
  };
}

@Injectable()
export class ExecutionRepository {
  constructor(private readonly lineage: LineageRepository) {}

  /**
   * Inserts the executions and returns the ids of the new ones. An execution that its agent reported before stays as it
   * is.
   */
  async insert(tx: Tx, executions: readonly NewExecution[]): Promise<Set<string>> {
    const rows = executions.map(({ report, ...rest }) => ({
      ...rest,
      report,
      executionId: report.executionId,
      taskId: report.taskId,
      sessionId: report.sessionId,
      parentExecutionId: report.parentExecutionId,
      model: report.model,
      callKeys: [...new Set(report.callKeys?.filter((key) => key !== ''))],
      status: report.status,
      failed: hasFailed(report),
      calls: report.toolCalls.length,
      ...boundedTimes(report, rest.receivedAt),
      ...statedTimes(report),
    }));
    // A fixed order, so that two servers that receive the same reports do not deadlock.
    const stored = await tx.$queryRaw<{ id: string }[]>`
      INSERT INTO "execution" ("id", "agent_id", "execution_id", "report_sha256", "task_id", "session_id",
        "parent_execution_id", "origin", "status", "started_at", "finished_at", "received_at", "report", "model",
        "patterns", "findings", "capture_state", "owner", "reporter_id", "credential_id", "call_keys",
        "failed", "calls", "stated_start", "stated_end")
      SELECT "id", "agentId", "executionId", "reportSha256", "taskId", "sessionId", "parentExecutionId", "origin",
        "status", "startedAt", "finishedAt", "receivedAt", "report", "model", '{}', "findings", 'pending',
        "owner", "reporterId", "credentialId", "callKeys", "failed", "calls",
        nullif("statedStart", "startedAt"), nullif("statedEnd", "finishedAt")
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
        "id" uuid, "agentId" uuid, "executionId" text, "reportSha256" text, "taskId" text, "sessionId" text,
        "parentExecutionId" text, "origin" text, "status" text, "startedAt" timestamptz, "finishedAt" timestamptz,
        "receivedAt" timestamptz, "report" jsonb, "model" text, "findings" jsonb, "owner" text, "reporterId" uuid, "credentialId" uuid,
        "callKeys" text[], "failed" boolean, "calls" int, "statedStart" timestamptz, "statedEnd" timestamptz)
      ORDER BY "agentId", "executionId"
      ON CONFLICT ("agent_id", "execution_id") DO NOTHING
      RETURNING "id"`;
    return new Set(stored.map(({ id }) => id));
  }

  /**
   * The last execution of each of these sessions that was reported in the given format, of the same agent or owner or by
   * the same reporter: an importer names the agent of a session by its folder, which not every format holds. The format is the
   * first part of an execution's id.
   */
  findTwins(tx: Tx, sessions: readonly SessionInFormat[]): Promise<Twin[]> {
    return tx.$queryRaw`
      SELECT DISTINCT ON (e."agent_id", e."reporter_id", e."session_id", r."format") e."id"::text AS "id",
        e."agent_id"::text AS "agentId", e."reporter_id"::text AS "reporterId", e."owner", e."session_id" AS "sessionId",
        e."execution_id" AS "executionId", e."finished_at" AS "finishedAt", e."calls"
      FROM jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb)
        AS r("agentId" uuid, "reporterId" uuid, "owner" text, "sessionId" text, "format" text)
      JOIN "execution" e ON e."session_id" = r."sessionId"
        AND (e."agent_id" = r."agentId" OR e."reporter_id" = r."reporterId" OR e."owner" = r."owner")
        AND split_part(e."execution_id", ':', 1) = r."format"
      ORDER BY e."agent_id", e."reporter_id", e."session_id", r."format", e."finished_at" DESC, e."received_at" DESC`;
  }

  /** Executions with these ids of other agents of the same owner or reporter. */
  findReportedAs(tx: Tx, reports: readonly ReportedAs[]): Promise<(ReportedAs & { readonly id: string })[]> {
    return tx.$queryRaw`
      SELECT DISTINCT e."id"::text AS "id", e."agent_id"::text AS "agentId", e."reporter_id"::text AS "reporterId",
        e."owner", e."execution_id" AS "executionId", e."report_sha256" AS "reportSha256"
      FROM jsonb_to_recordset(${JSON.stringify(reports)}::jsonb)
        AS r("agentId" uuid, "reporterId" uuid, "owner" text, "executionId" text)
      JOIN "execution" e ON e."execution_id" = r."executionId" AND e."agent_id" <> r."agentId"
        AND (e."reporter_id" = r."reporterId" OR e."owner" = r."owner")`;
  }

  async findReported(
    tx: Tx,
    agentId: string,
    executionId: string,
  ): Promise<{ id: string; reportSha256: string; findings: Finding[] } | null> {
    const found = await tx.execution.findUnique({
      where: { agentId_executionId: { agentId, executionId } },
      select: { id: true, reportSha256: true, findings: true },
    });
    return found && { ...found, findings: Findings.parse(found.findings) };
  }

  /**
   * Up to `limit` executions that wait for capture, of each agent in turn from the one after `last` on, whose turn was
   * the last, and whether more may wait. Fewer if their reports are large, because reading them would block the event
   * loop.
   */
  async findPending(
    tx: Tx,
    limit: number,
    last: string = FIRST_TURN,
  ): Promise<{ executions: StoredReport[]; mayWait: boolean; last: string }> {
    const next = await nextInTurn(tx, PENDING, last, limit);
    const taken = await this.readableAtOnce(tx, next);
    const rows = await tx.execution.findMany({
      where: { id: { in: taken.map(({ id }) => id) } },
      include: withAgent,
      orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
    });
    const mayWait = next.length === limit || taken.length < next.length;
    return { executions: await this.stored(tx, rows, 'these'), mayWait, last: taken.at(-1)?.agentId ?? FIRST_TURN };
  }

  /** The first of these rows, at least one, whose reports together are not too large. */
  private async readableAtOnce(tx: Tx, rows: readonly QueuedRow[]): Promise<QueuedRow[]> {
    const sizes = await tx.$queryRaw<{ id: string; size: number }[]>`
      SELECT "id"::text AS "id", pg_column_size("report") AS "size" FROM "execution"
      WHERE "id" = ANY(${rows.map(({ id }) => id)}::uuid[])`;
    const sizeOf = new Map(sizes.map(({ id, size }) => [id, size]));
    let sum = 0;
    return rows.filter(({ id }, n) => {
      sum += sizeOf.get(id) ?? 0;
      return n === 0 || sum <= READ_AT_ONCE_BYTES;
    });
  }

  /** The reports of these executions by their ids, with the calls that count elsewhere marked. A damaged row is left out. */
  async findReports(tx: Tx, ids: readonly string[]): Promise<Map<string, ExecutionReport>> {
    const select = { id: true, report: true, copiedCalls: true, captureState: true } as const;
    const rows = await tx.execution.findMany({ where: { id: { in: [...ids] } }, select });
    const copies = await this.copiesIn(tx, rows, 'all');
    const parsed = readRows('execution', rows, ({ id, report }) => ({
      id,
      report: markCopies(ExecutionReport.parse(report), copies.get(id) ?? []),
    }));
    return new Map(parsed.map(({ id, report }) => [id, report]));
  }

  /** Locks those of the executions that still wait for capture, until the end of this transaction. Returns their ids. */
  async lockPending(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
    const locked = await tx.$queryRaw<{ id: string }[]>`
      SELECT "id" FROM "execution" WHERE "capture_state" = 'pending' AND "id" = ANY(${ids}::uuid[])
      FOR UPDATE SKIP LOCKED`;
    return new Set(locked.map(({ id }) => id));
  }

  /**
   * Stores the result of capture, before its observations: a cycle may have counted the execution with earlier ones.
   * `reason`: why the execution was skipped; null if it was captured.
   */
  async setCaptured(
    tx: Tx,
    captured: readonly {
      executionId: string;
      patterns: readonly string[];
      reason: string | null;
      copied: readonly number[];
      callKeys: readonly string[] | undefined;
      outcomes: CallOutcomes | undefined;
    }[],
    now: Date,
  ): Promise<void> {
    if (captured.length === 0) return;
    const rows = captured.map(({ executionId, patterns, reason, copied, callKeys, outcomes = {} }) => ({
      executionId,
      patterns,
      reason,
      copied,
      counted: countedKeys(callKeys, copied),
      outcomes,
    }));
    await tx.$executeRaw`
      UPDATE "execution" SET "capture_reason" = r."reason", "patterns" = r."patterns", "copied_calls" = r."copied",
        "counted_keys" = r."counted", "call_outcomes" = r."outcomes",
        "recaptured_at" = CASE WHEN "recaptured_at" IS NOT NULL OR (r."copied" <> '{}'
          AND EXISTS (SELECT 1 FROM "observation" o WHERE o."execution_id" = "id")) THEN ${now}::timestamptz END,
        "capture_state" = CASE WHEN r."reason" IS NULL THEN 'captured' ELSE 'skipped' END::"CaptureState"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("executionId" uuid, "patterns" text[], "reason" text,
        "copied" int[], "counted" text[], "outcomes" jsonb)
      WHERE "id" = r."executionId"`;
  }

  /** Quality scores of the agent's last 100 completed executions. */
  async findRecentQualityScores(tx: Tx, agentId: string): Promise<number[]> {
    const rows = await tx.$queryRaw<{ quality: number | null }[]>`
      SELECT ("report" ->> 'qualityScore')::float8 AS "quality" FROM "execution"
      WHERE "agent_id" = ${agentId}::uuid AND "status" = 'completed' AND "report" ? 'qualityScore'
      ORDER BY "finished_at" DESC LIMIT 100`;
    return rows.flatMap(({ quality }) => (quality === null ? [] : [quality]));
  }

  async findByIds(tx: Tx, ids: readonly string[]): Promise<StoredReport[]> {
    const rows = await tx.execution.findMany({ where: { id: { in: [...ids] } }, include: withAgent });
    return this.stored(tx, rows, 'all');
  }

  /** A damaged row is left out: it is never captured, and counts nothing. */
  private async stored(tx: Tx, rows: readonly Row[], pending: PendingHolders): Promise<StoredReport[]> {
    const read = readRows('execution', rows, (row) => ({ row, report: ExecutionReport.parse(row.report) }));
    const own = read.map(({ row }) => row);
    const copies = await this.copiesIn(tx, own, pending);
    return read.map(({ row, report }) => toStored(row, report, copies.get(row.id) ?? []));
  }

  /** By id, the places of copied calls: as captured, or as they are for what waits for capture. */
  private async copiesIn(
    tx: Tx,
    rows: readonly Pick<Row, 'id' | 'copiedCalls' | 'captureState'>[],
    pending: PendingHolders,
  ): Promise<Map<string, readonly number[]>> {
    const waiting = rows.filter(({ captureState }) => captureState === 'pending').map(({ id }) => id);
    const found = await this.lineage.find(tx, waiting, pending === 'all' ? 'all' : waiting);
    return new Map(
      rows.map(({ id, captureState, copiedCalls }) => [
        id,
        captureState === 'pending' ? (found.get(id) ?? []) : copiedCalls,
      ]),
    );
  }

  /** When the oldest of the newest `count` executions of the window was received; `from` if the window has fewer. */
  async findNewestStart(tx: Tx, from: Date, to: Date, count: number): Promise<Date> {
    const [row] = await tx.execution.findMany({
      where: { receivedAt: { gte: from, lte: to } },
      select: { receivedAt: true },
      orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
      skip: count - 1,
      take: 1,
    });
    return row?.receivedAt ?? from;
  }

  /** The ids of the executions that the evidence of the proposal counts. */
  async findEvidence(tx: Tx, proposal: string): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT counted."id" AS "id" FROM "proposal" p, jsonb_array_elements_text(p."evidence" -> 'executionIds') AS counted("id")
      WHERE p."id" = ${proposal}::uuid`;
    return rows.map(({ id }) => id);
  }

  /** The agents of those executions that are stored, by the ids of the executions. */
  async agentNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.execution.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, agent: { select: { name: true } } },
    });
    return new Map(rows.map(({ id, agent }) => [id, agent.name]));
  }

  async list(tx: Tx, limit: number, after?: string, where: ExecutionFilter = {}): Promise<ExecutionSummary[]> {
    const found: ExecutionSummary[] = [];
    let cursor = after;
    for (let left = limit; left > 0; left -= LISTED_AT_ONCE) {
      const rows: Row[] = await tx.execution.findMany({
        where,
        include: withAgent,
        orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
        take: Math.min(left, LISTED_AT_ONCE),
        ...(cursor ? { cursor: { id: cursor }, skip: 1 } : {}),
      });
      found.push(...readRows('execution', rows, (row) => toSummary(row, ExecutionReport.parse(row.report))));
      cursor = rows.at(-1)?.id;
      if (rows.length < LISTED_AT_ONCE) break;
    }
    return found;
  }

  async find(tx: Tx, id: string): Promise<{ summary: ExecutionSummary; report: ExecutionReport } | undefined> {
    const row = await tx.execution.findUnique({ where: { id }, include: withAgent });
    return readRow('execution', row, (found) => {
      const report = ExecutionReport.parse(found.report);
      return { summary: toSummary(found, report), report };
    });
  }

  async countByAgent(tx: Tx, since: Date): Promise<AgentRunCounts[]> {
    return tx.$queryRaw`
      SELECT p."name" AS "agent", p."department", count(*)::int AS "runs",
        (count(*) FILTER (WHERE ${FAILED}))::int AS "failed"
      FROM "execution" e JOIN "principal" p ON p."id" = e."agent_id"
      WHERE e."finished_at" >= ${since} AND NOT ${isCopy(Prisma.sql`e`)}
        AND ${IS_LATEST}
      GROUP BY p."id" ORDER BY 4 DESC, 3 DESC, 1 LIMIT ${AGENTS_SHOWN}`;
  }

  count(tx: Tx, where: ExecutionFilter = {}): Promise<number> {
    return tx.execution.count({ where });
  }

  async countSkippedByReason(tx: Tx): Promise<{ reason: string; count: number }[]> {
    const groups = await tx.execution.groupBy({
      by: ['captureReason'],
      where: { captureState: 'skipped' },
      _count: true,
    });
    return groups
      .map(({ captureReason, _count }) => ({ reason: captureReason ?? 'unknown', count: _count }))
      .sort((a, b) => b.count - a.count);
  }
}

function toSummary(row: Row, report: ExecutionReport): ExecutionSummary {
  const calls = countedCalls(markCopies(report, row.copiedCalls).toolCalls);
  const findings = Findings.parse(row.findings);
  return {
    id: row.id,
    executionId: row.executionId,
    agent: row.agent.name,
    taskTitle: report.taskTitle,
    status: report.status,
    failed: hasFailed(report),
    toolCalls: calls.length,
    failedCalls: calls.filter(({ ok }) => !ok).length,
    copiedCalls: row.copiedCalls.length,
    redactions: sumBy(findings, ({ count }) => count),
    capture: { state: row.captureState, reason: row.captureReason },
    finishedAt: row.finishedAt.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
  };
}
