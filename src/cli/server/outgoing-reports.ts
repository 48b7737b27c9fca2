import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { areTwins, formatOfExecution } from '../../capture/report/session-twin.js';
import type { LineReceipt } from '../../capture/store/executions.schema.js';
import { type Guildbook, GuildbookError, NoResponseError } from '../../client/guildbook.js';
import type { ReadExecution } from './transcripts.js';

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
async function withRetries<T>(
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

interface SentUses {
  /** Uses that the server did not know. */
  readonly new: number;
  /** Uses that the server refused, by reason. */
  readonly refused: ReadonlyMap<string, number>;
}

type Uses = ReadExecution['uses'];

/** Uses that wait for the executions that they belong to. */
const MAX_WAITING = 1_000;

/**
 * Sends uses of skills, after the executions that they belong to. A machine has skills of many origins: only uses of the
 * skills that this server publishes are kept and reported to it.
 */
export class OutgoingUses {
  private waiting: Uses[number][] = [];
  private published: ReadonlySet<string> | undefined;
  private added = 0;
  private readonly refused = new Map<string, number>();

  /** `isOwn`: false for a use that the hooks of its session report. `flush` sends the executions; `onWait`: before each retry. */
  constructor(
    private readonly client: Guildbook,
    private readonly calls: {
      readonly isOwn: (use: Uses[number]) => boolean;
      readonly flush: () => Promise<void>;
      readonly onWait: () => void;
    },
  ) {}

  async add(uses: Uses): Promise<void> {
    if (uses.length === 0) return;
    this.published ??= await publishedNames(this.client);
    for (const one of uses) if (this.published.has(one.skill)) this.waiting.push(one);
    if (this.waiting.length >= MAX_WAITING) await this.send();
  }

  /** Sends what waits. Returns what has been sent so far. */
  async send(): Promise<SentUses> {
    const { client, calls, refused } = this;
    await calls.flush();
    const waiting = this.waiting.filter(calls.isOwn);
    this.waiting = [];
    for (const { agent, skill, use } of waiting) {
      const sent = await withRetries(() => client.skills.use(skill, use, agent), calls.onWait);
      if ('refused' in sent) refused.set(sent.refused, (refused.get(sent.refused) ?? 0) + 1);
      else if (!sent.answer.duplicate) this.added += 1;
    }
    return { new: this.added, refused };
  }
}

async function publishedNames(client: Guildbook): Promise<ReadonlySet<string>> {
  try {
    return new Set((await client.skills.list()).items.map(({ name }) => name));
  } catch (error) {
    // A service may report without being allowed to read: import its executions anyway.
    if (error instanceof GuildbookError && error.problem.status === 403) return new Set();
    throw error;
  }
}
