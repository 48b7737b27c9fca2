import { Injectable, Logger } from '@nestjs/common';
import { topicOf } from '../../capture/observations/session-topic.js';
import { NO_PROJECT } from '../../capture/report/agent-name.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { NIL_UUID } from '../../platform/base/ids.js';
import { optional } from '../../platform/base/optional.js';
import { Database } from '../../platform/database/database.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import type { SummaryText } from '../entries/session-memory.schema.js';
import { durationOf } from '../entries/session-overview.js';
import { summaryByRules } from '../entries/session-summary.js';
import { AgentSessionRepository, UNSUMMARISED_SESSIONS } from '../store/agent-session.repository.js';
import { EntryWriter } from '../store/entry-writer.service.js';
import { SessionEntryRepository } from '../store/session-entry.repository.js';
import { SUMMARIES, summarisable } from '../store/session-lifecycle.service.js';
import { BY_RULES } from '../store/stored-entry.js';
import { wholeSession } from './session-report.js';
import { type ReportCursor, SessionReportRepository } from './session-report.repository.js';

const PAGE = 20;
/** Reports that arrived before the start of the process and have no summary yet. */
const LOOK_BACK_MS = 7 * DAY_MS;
/** A transaction that began earlier can end later: reports of this time are read again. */
const OVERLAP_MS = 30 * SECOND_MS;
const MOST_SEEN = 20_000;
/** A session without a report is over after this time without a new entry. */
const QUIET_MS = HOUR_MS;

/** A session that may need a summary. */
interface DueSession {
  readonly agentId: string;
  readonly session: string;
}

/**
 * Writes the summary of each session whose report arrived, by rules from the stored, redacted report and from what the
 * agent saved. No report waits for it; a restart continues with what has no summary. A session whose report never comes
 * is summarised when it has been quiet.
 */
@Injectable()
export class SessionSummaries extends defineWorker({
  every: MINUTE_MS,
  atStart: false,
  queues: { summaries: (now) => UNSUMMARISED_SESSIONS(new Date(now.getTime() - QUIET_MS)) },
}) {
  private readonly logger = new Logger(SessionSummaries.name);
  private cursor: ReportCursor | undefined;
  private readonly seen = new FifoCache<true>(MOST_SEEN);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly priority: RequestPriority,
    private readonly reports: SessionReportRepository,
    private readonly entries: SessionEntryRepository,
    private readonly sessions: AgentSessionRepository,
    private readonly writer: EntryWriter,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    await this.priority.waitForRequests(this);
    const { client } = this.database;
    const after = this.cursor ?? this.startAt(LOOK_BACK_MS);
    const page = await this.reports.arrivedAfter(client, after, PAGE);
    for (const report of page) {
      if (this.seen.get(report.id)) continue;
      await this.trySummarise(report);
      this.seen.set(report.id, true);
    }
    const last = page.at(-1);
    if (last !== undefined && page.length === PAGE) {
      this.cursor = last;
      return true;
    }
    this.cursor = this.startAt(OVERLAP_MS);
    return this.summariseQuiet();
  }

  private startAt(before: number): ReportCursor {
    return { receivedAt: new Date(this.clock.now().getTime() - before), id: NIL_UUID };
  }

  private async summariseQuiet(): Promise<boolean> {
    const since = new Date(this.clock.now().getTime() - QUIET_MS);
    const quiet = await this.sessions.open(this.database.client, null, since, PAGE);
    for (const session of quiet) await this.trySummarise(session);
    return quiet.length === PAGE;
  }

  /** A session that cannot be summarised keeps no other from its summary. */
  private async trySummarise(session: DueSession): Promise<void> {
    try {
      await this.summarise(session);
    } catch (error) {
      if (!(error instanceof DomainError && error.kind === 'invalid')) throw error;
      this.logger.warn(`no summary of session ${session.session}: ${error.message}`);
      await this.sessions.markSummarised(this.database.client, session.agentId, session.session);
    }
  }

  private async summarise({ agentId, session }: DueSession): Promise<void> {
    const { client } = this.database;
    const found = await this.reports.ofSession(client, agentId, session);
    const report = wholeSession(found.map((one) => one.report));
    const known = await this.sessions.find(client, agentId, session);
    const latest = found.reduce((last, one) => Math.max(last, one.receivedAt.getTime()), 0);
    if (known?.summaryState === 'written' && known.reportedAt !== null && known.reportedAt.getTime() >= latest) return;
    const project = known?.project ?? (report && projectOf(report)) ?? null;
    const entries = summarisable(await this.entries.ofSession(client, agentId, session), project);
    if (entries.length === 0 && (report === undefined || report.toolCalls.length === 0)) return;
    // Outside the transaction: reading a long report takes longer than storing its summary.
    const draft = summaryByRules(entries, report === undefined ? {} : { report });
    await this.store({ agentId, session, draft, report, executionId: found[0]?.id, reportedAt: new Date(latest) });
  }

  private store({ agentId, session, draft, report, executionId, reportedAt }: SessionDraft): Promise<void> {
    const project = report && projectOf(report);
    return this.database.transaction(async (tx) => {
      const own = await this.entries.lockSession(tx, agentId, session);
      const last = own.filter(({ kind }) => kind !== 'session-summary').at(-1)?.createdAt ?? reportedAt;
      const startedAt = report === undefined ? (own[0]?.createdAt ?? last) : new Date(report.startedAt);
      const endedAt = report === undefined ? last : new Date(report.finishedAt);
      await this.sessions.ensure(tx, { agentId, session, project: project ?? null, startedAt });
      const known = await this.sessions.find(tx, agentId, session);
      const about = { agentId, session, project: known?.project ?? null };
      // The program closed the session with a summary from the same report, and from what it knew besides.
      const isClosed = known?.endedAt != null && known.executionId === null && known.summaryState === 'written';
      if (!isClosed) {
        const { turnCount } = report ?? {};
        const figures = { ...durationOf(startedAt, endedAt), ...optional('turns', turnCount) };
        await this.writer.summarise(tx, SUMMARIES, about, own, { ...draft, ...BY_RULES, figures, at: endedAt });
      }
      if (report === undefined) return this.sessions.markSummarised(tx, agentId, session);
      const topic = generalOf(topicOf(report));
      await this.sessions.markReported(tx, agentId, session, { about: topic, reportedAt });
      if (isClosed || executionId === undefined) return;
      await this.sessions.markEnded(tx, agentId, session, { endedAt, turns: report.turnCount ?? null, costUsd: null });
      await this.sessions.markSummarised(tx, agentId, session, executionId);
    });
  }
}

/** What the summary of one session is written from. */
interface SessionDraft extends DueSession {
  readonly draft: SummaryText;
  readonly report: ExecutionReport | undefined;
  readonly executionId: string | undefined;
  readonly reportedAt: Date;
}

/** The label under which the session's agent finds its memory again: that of the folder, else of the repository. */
function projectOf({ environment: { project, repository } = {} }: ExecutionReport): string | undefined {
  return project === undefined || project === NO_PROJECT ? repository : project;
}
