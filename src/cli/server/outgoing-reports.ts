import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { areTwins } from '../../capture/report/session-twin.js';
import type { LineReceipt } from '../../capture/store/executions.schema.js';
import { type Guildbook, GuildbookError, NoResponseError } from '../../client/guildbook.js';

/** The number that the server stores in one commit; the body stays well below its size limit. */
const MAX_REPORTS = 100;
const MAX_LENGTH = 1_000_000;
const TRIES = 5;
const FIRST_WAIT_MS = 300;
/** Statuses that refuse one request and say nothing about the next one. */
const REFUSED: ReadonlySet<number> = new Set([400, 409, 413]);

/** `twins`: the server has the session from its hooks. */
export type ReportOutcome = 'new' | 'duplicates' | 'twins' | { readonly refused: string };

interface QueuedReport {
  readonly agent: string;
  readonly report: ExecutionReport;
}

/** Sends the reports of an agent in batches: when a batch is full, and on `flush`. */
export class OutgoingReports {
  private queue: QueuedReport[] = [];
  private length = 0;

  /** Calls `onResult` once for each report, and `onWait` before each retry. `tries`: of each request. */
  constructor(
    private readonly client: Guildbook,
    private readonly onResult: (agent: string, outcome: ReportOutcome, executionId: string) => void,
    private readonly onWait: () => void,
    private readonly tries = TRIES,
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
    const sent = await withRetries(() => this.client.executions.reportAll(reports, agent), this.onWait, this.tries);
    const [only] = reports;
    if ('answer' in sent) {
      for (const [n, line] of sent.answer.lines.entries()) {
        const { executionId = '' } = reports[n] ?? {};
        this.onResult(agent, outcomeOf(line, executionId), executionId);
      }
    } else if (reports.length === 1 && only !== undefined) {
      this.onResult(agent, sent, only.executionId);
    } else {
      // Split a batch that the server refuses, down to the single report that is at fault.
      const half = Math.ceil(reports.length / 2);
      await this.send(agent, reports.slice(0, half));
      await this.send(agent, reports.slice(half));
    }
  }
}

/** The answer of `call`, or the reason of a refusal. Retries if no response arrives; throws when all retries fail. */
export async function withRetries<T>(
  call: () => Promise<T>,
  onWait: () => void,
  tries = TRIES,
): Promise<{ answer: T } | { refused: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { answer: await call() };
    } catch (error) {
      if (error instanceof GuildbookError && REFUSED.has(error.problem.status))
        return { refused: reasonOf(error.problem.code) };
      const isTransient =
        error instanceof NoResponseError || (error instanceof GuildbookError && error.problem.status >= 500);
      if (!isTransient || attempt === tries) throw error;
      onWait();
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

function outcomeOf({ outcome, problem, executionId = '' }: LineReceipt, reported: string): ReportOutcome {
  if (outcome === 'refused') return { refused: reasonOf(problem?.code ?? 'no reason given') };
  if (outcome === 'new') return 'new';
  return areTwins(executionId, reported) ? 'twins' : 'duplicates';
}

/** The reason for a report whose execution the server has with other content. */
export const ALREADY_REPORTED = 'already reported with different content';

const reasonOf = (code: string): string =>
  code === 'execution.content_differs' ? ALREADY_REPORTED : `refused by the server: ${code}`;
