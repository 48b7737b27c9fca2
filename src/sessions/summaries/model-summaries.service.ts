import { Injectable } from '@nestjs/common';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { ungroundedText } from '../../evidence/gates/grounding.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { Database } from '../../platform/database/database.js';
import { type ModelSummary, SummaryModel } from '../../propose/questions/summary-model.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import type { SessionEntry, SummaryText } from '../entries/session-memory.schema.js';
import { summaryByModel } from '../entries/session-summary.js';
import { EntryWriter } from '../store/entry-writer.service.js';
import { SessionEntryRepository } from '../store/session-entry.repository.js';
import { SUMMARIES } from '../store/session-lifecycle.service.js';
import { wholeSession } from './session-report.js';
import { SessionReportRepository, type SummaryQuestion } from './session-report.repository.js';

/** A session that reports again within this time has not ended: a model is asked once for many reports. */
const QUIET_MS = 10 * MINUTE_MS;
/** Older summaries stay as rules wrote them: a new model does not pay for all of the past. */
const LOOK_BACK_MS = DAY_MS;

/**
 * Lets the server's model, if there is one, write again the summaries that rules wrote, when their session is quiet. No
 * session waits for it. A summary that changed meanwhile, or that an agent or a person wrote, stays.
 */
@Injectable()
export class ModelSummaries extends defineWorker({ every: MINUTE_MS, atStart: false }) {
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

/** The calls that a model sees: the first ones say what was asked, the last ones where the session ended. */
const FIRST_CALLS = 10;
const LAST_CALLS = 40;
const MOST_ENTRIES = 40;
/** In UTF-16 code units. */
const LONGEST_TEXT = 300;

type SummaryRecord = Readonly<Record<string, string>>;

/**
 * What a model sees of a session: the summary by rules, calls with their outcome, and the entries. Pure; every text is
 * redacted and without what names a person, a machine or a network.
 */
export function summaryRecords(
  draft: string,
  report: ExecutionReport | undefined,
  entries: readonly Pick<SessionEntry, 'kind' | 'content'>[],
): SummaryRecord[] {
  const calls = report?.toolCalls ?? [];
  const shown =
    calls.length > FIRST_CALLS + LAST_CALLS ? [...calls.slice(0, FIRST_CALLS), ...calls.slice(-LAST_CALLS)] : calls;
  return [
    { record: 'summary by rules', text: shownText(draft, 1_200) },
    ...shown.map(({ name, action, ok, errorLine, errorMessage }) => ({
      record: 'call',
      tool: shownText(name),
      call: shownText(action),
      outcome: ok ? 'worked' : 'failed',
      ...(ok ? {} : { error: shownText(errorLine ?? errorMessage ?? '') }),
    })),
    ...entries.slice(-MOST_ENTRIES).map(({ kind, content }) => ({ record: kind, text: shownText(content) })),
  ];
}

const shownText = (text: string, most = LONGEST_TEXT): string => clip(generalise(redact(text).text), most);

/**
 * Why the summary of a model cannot be kept, as the ledger of calls says it; undefined if it can. A text that sanitising
 * would change is refused as a whole, and so is one that names what the records do not hold.
 */
export function summaryProblem(written: SummaryText, records: readonly SummaryRecord[]): string | undefined {
  const kept = summaryByModel(written);
  if (kept === undefined) return 'malformed';
  const texts = [written.text, ...written.tags];
  if (texts.some((text) => escapeInvisible(text) !== text)) return 'hidden_text';
  if (texts.some((text) => redact(text).redactions.length > 0)) return 'secret';
  if (suspicions(texts.join('\n')).length > 0) return 'injection';
  if (generalise(written.text) !== written.text) return 'particulars';
  const evidence = records.map((record) => Object.values(record).join('\n')).join('\n');
  return ungroundedText(written.text, evidence) === undefined ? undefined : 'unfounded_name';
}
