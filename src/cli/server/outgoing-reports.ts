import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { areTwins, formatOfExecution } from '../../capture/report/session-twin.js';
import type { LineReceipt } from '../../capture/store/executions.schema.js';
import { type Guildbook, GuildbookError, NoResponseError } from '../../client/guildbook.js';

/** The number that the server stores in one commit; the body stays well below its size limit. */
const MAX_REPORTS = 100;
const MAX_LENGTH = 1_000_000;
const TRIES = 5;
const FIRST_WAIT_MS = 300;
/** Statuses that refuse one request and say nothing about the next one. */
const REFUSED: ReadonlySet<number> = new Set([400, 409, 413]);

/** `twinOf`: the server has the session from another record of it, in this format and as this execution. */
export type ReportOutcome =
  | 'new'
  | 'duplicates'
  | { readonly twinOf: string; readonly executionId: string }
  | { readonly refused: string };

export interface QueuedReport {
  readonly agent: string;
  readonly report: ExecutionReport;
  /** The format that it was read from. */
  readonly format?: string;
}

/**
 * Sends the reports of an agent in batches: when a batch is full, and on `flush`. One batch is on its way while the next
 * one is derived.
 */
export class OutgoingReports {
  private queue: QueuedReport[] = [];
  private length = 0;
  private onItsWay: Promise<void> = Promise.resolve();

  /** Calls `onResult` once for each report, and `onWait` before each retry. `tries`: of each request. */
  constructor(
    private readonly client: Guildbook,
    private readonly onResult: (sent: QueuedReport, outcome: ReportOutcome) => void,
    private readonly onWait: () => void,
    private readonly tries = TRIES,
  ) {}

  async add(queued: QueuedReport): Promise<void> {
    this.queue.push(queued);
    this.length += JSON.stringify(queued.report).length;
    if (this.queue.length >= MAX_REPORTS || this.length >= MAX_LENGTH) await this.start();
  }

  /** Resolves when every report has been answered. */
  async flush(): Promise<void> {
    await this.start();
    await this.onItsWay;
  }

  private async start(): Promise<void> {
    await this.onItsWay;
    const waiting = this.queue;
    this.queue = [];
    this.length = 0;
    this.onItsWay = this.sendAll(waiting);
    // A failure is thrown where the next batch, or the end, waits for this one.
    this.onItsWay.catch(() => undefined);
  }

  private async sendAll(waiting: readonly QueuedReport[]): Promise<void> {
    for (const agent of new Set(waiting.map((one) => one.agent)))
      await this.send(
        agent,
        waiting.filter((one) => one.agent === agent),
      );
  }

  private async send(agent: string, queued: readonly QueuedReport[]): Promise<void> {
    const reports = queued.map(({ report }) => report);
    const sent = await withRetries(() => this.client.executions.reportAll(reports, agent), this.onWait, this.tries);
    const [only] = queued;
    if ('answer' in sent) {
      for (const [n, line] of sent.answer.lines.entries()) {
        const one = queued[n];
        if (one !== undefined) this.onResult(one, outcomeOf(line, one.report.executionId));
      }
    } else if (queued.length === 1 && only !== undefined) {
      this.onResult(only, sent);
    } else {
      // Split a batch that the server refuses, down to the single report that is at fault.
      const half = Math.ceil(queued.length / 2);
      await this.send(agent, queued.slice(0, half));
      await this.send(agent, queued.slice(half));
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
  return areTwins(executionId, reported) ? { twinOf: formatOfExecution(executionId), executionId } : 'duplicates';
}

/** The reason for a report whose execution the server has with other content. */
export const ALREADY_REPORTED = 'already reported with different content';

const reasonOf = (code: string): string =>
  code === 'execution.content_differs' ? ALREADY_REPORTED : `refused by the server: ${code}`;
