import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import type { LineReceipt } from '../../capture/store/executions.schema.js';
import { type Guildbook, GuildbookError, NoAnswerError } from '../../client/guildbook.js';

/** As many as the server stores in one commit, and well below the size of a body that it takes. */
const MAX_REPORTS = 100;
const MAX_LENGTH = 1_000_000;
const TRIES = 5;
const FIRST_WAIT_MS = 300;
/** Refusals of what was sent, which say nothing about what comes next. */
const REFUSED: ReadonlySet<number> = new Set([400, 409, 413]);

export type ReportOutcome = 'new' | 'duplicates' | { readonly refused: string };

interface QueuedReport {
  readonly agent: string;
  readonly report: ExecutionReport;
}

/** Reports on their way to the server, many of an agent in one request. Nothing is sent before `flush`, or there are many. */
export class OutgoingReports {
  private queue: QueuedReport[] = [];
  private length = 0;

  /** `settled` hears of every report once; `onWait`, that the server stays away. */
  constructor(
    private readonly client: Guildbook,
    private readonly onResult: (agent: string, outcome: ReportOutcome) => void,
    private readonly onWait: () => void,
  ) {}

  async add(agent: string, report: ExecutionReport): Promise<void> {
    this.queue.push({ agent, report });
    this.length += JSON.stringify(report).length;
    if (this.queue.length >= MAX_REPORTS || this.length >= MAX_LENGTH) await this.flush();
  }

  async flush(): Promise<void> {
    const waiting = this.queue;
    this.queue = [];
    this.length = 0;
    for (const agent of new Set(waiting.map((one) => one.agent)))
      await this.send(
        agent,
        waiting.flatMap((one) => (one.agent === agent ? [one.report] : [])),
      );
  }

  private async send(agent: string, reports: readonly ExecutionReport[]): Promise<void> {
    const sent = await withRetries(() => this.client.executions.reportAll(reports, agent), this.onWait);
    if ('answer' in sent) {
      for (const line of sent.answer.lines) this.onResult(agent, outcomeOf(line));
    } else if (reports.length === 1) {
      this.onResult(agent, sent);
    } else {
      // A server may take less at once than others; a report that is too large by itself is alone in the end.
      const half = Math.ceil(reports.length / 2);
      await this.send(agent, reports.slice(0, half));
      await this.send(agent, reports.slice(half));
    }
  }
}

/** What `call` gives, or why it was refused. A lost answer is asked for again; a server that stays away is thrown. */
export async function withRetries<T>(
  call: () => Promise<T>,
  onWait: () => void,
): Promise<{ answer: T } | { refused: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { answer: await call() };
    } catch (error) {
      if (error instanceof GuildbookError && REFUSED.has(error.problem.status))
        return { refused: reasonOf(error.problem.code) };
      const isTransient =
        error instanceof NoAnswerError || (error instanceof GuildbookError && error.problem.status >= 500);
      if (!isTransient || attempt === TRIES) throw error;
      onWait();
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

function outcomeOf({ outcome, problem }: LineReceipt): ReportOutcome {
  if (outcome === 'refused') return { refused: reasonOf(problem?.code ?? 'without a reason') };
  return outcome === 'new' ? 'new' : 'duplicates';
}

const reasonOf = (code: string): string =>
  code === 'execution.content_differs' ? 'reported before with other content' : `refused by the server: ${code}`;
