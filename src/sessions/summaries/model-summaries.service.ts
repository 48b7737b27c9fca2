import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { Database } from '../../platform/database/database.js';
import { type ModelSummary, SummaryModel } from '../../propose/questions/summary-model.service.js';
import { summaryByModel } from '../entries/session-summary.js';
import { EntryWriter } from '../store/entry-writer.service.js';
import { SessionEntryRepository } from '../store/session-entry.repository.js';
import { SUMMARIES } from '../store/session-lifecycle.service.js';
import { wholeSession } from './session-report.js';
import { SessionReportRepository, type SummaryQuestion } from './session-report.repository.js';
import { summaryProblem, summaryRecords } from './summary-material.js';

const EVERY_MS = MINUTE_MS;
/** A session that reports again within this time has not ended: a model is asked once for many reports. */
const QUIET_MS = 10 * MINUTE_MS;
/** Older summaries stay as rules wrote them: a new model does not pay for all of the past. */
const LOOK_BACK_MS = DAY_MS;

/**
 * Lets the server's model, if there is one, write again the summaries that rules wrote, when their session is quiet. No
 * session waits for it. A summary that changed meanwhile, or that an agent or a person wrote, stays.
 */
@Injectable()
export class ModelSummaries extends BackgroundWorker {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly priority: RequestPriority,
    private readonly model: SummaryModel,
    private readonly reports: SessionReportRepository,
    private readonly entries: SessionEntryRepository,
    private readonly writer: EntryWriter,
  ) {
    super();
  }

  @Interval(EVERY_MS)
  tick(): void {
    this.wake();
  }

  protected async step(): Promise<boolean> {
    if (this.model.name === undefined) return false;
    await this.priority.waitForRequests(this);
    const now = this.clock.now().getTime();
    const quiet = { since: new Date(now - LOOK_BACK_MS), until: new Date(now - QUIET_MS) };
    const next = await this.reports.nextQuestion(this.database.client, quiet);
    return next !== undefined && this.replace(next);
  }

  /** Returns whether the model answered: if not, the other sessions wait, too. */
  private async replace(question: SummaryQuestion): Promise<boolean> {
    const { client } = this.database;
    const { agentId, session, contentSha256, pattern } = question;
    const own = await this.entries.ofSession(client, agentId, session);
    const draft = own.find((one) => one.contentSha256 === contentSha256);
    // Changed since: the next step reads what is there now.
    if (draft === undefined) return true;
    const report = wholeSession((await this.reports.ofSession(client, agentId, session)).map((one) => one.report));
    const entries = own.filter(({ kind }) => kind !== 'session-summary');
    const records = summaryRecords(draft.content, report, entries);
    const problem = (written: ModelSummary): string | undefined => summaryProblem(written, records);
    const reply = await this.model.write({ agentId, pattern, records, problem });
    if (reply.outcome === 'written') await this.store(question, reply.text, reply.by);
    return reply.outcome !== 'later';
  }

  private store({ agentId, session, contentSha256 }: SummaryQuestion, written: ModelSummary, by: string) {
    return this.database.transaction(async (tx) => {
      const own = await this.entries.lockSession(tx, agentId, session);
      const known = own.find((one) => one.kind === 'session-summary');
      const summary = summaryByModel(written);
      if (known?.contentSha256 !== contentSha256 || known.writtenBy !== 'rules' || summary === undefined) return;
      const about = { agentId, session, project: known.project };
      const { figures, createdAt: at } = known;
      await this.writer.summarise(tx, SUMMARIES, about, own, {
        ...summary,
        writtenBy: 'model',
        writer: by,
        figures,
        at,
      });
    });
  }
}
