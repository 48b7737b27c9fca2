import type { ExecutionReport } from '../capture/report/execution-report.schema.js';
import type { ReportReceipt } from '../capture/store/executions.schema.js';
import type { NewMemory, RememberResult } from '../memory/lessons/remember.schema.js';
import type { GateDecision, ToolCallCheck } from '../recall/gate/gate.schema.js';
import type { NewRecall, Recall } from '../recall/ranking/recall.schema.js';
import { Guildbook, type GuildbookOptions } from './guildbook.js';

export { Guildbook, GuildbookError, type GuildbookOptions, NoAnswerError } from './guildbook.js';
export type {
  ExecutionReport,
  GateDecision,
  NewMemory,
  NewRecall,
  Recall,
  RememberResult as Remembered,
  ReportReceipt as Received,
};

/** A tool call that what was recalled must not feed: which memory, and why. The call was not made. */
export class GateDenied extends Error {
  constructor(
    readonly tool: string,
    readonly reasons: GateDecision['reasons'],
  ) {
    const why = reasons.map(({ memory, because }) => `${memory} (${because.replaceAll('_', ' ')})`).join(', ');
    super(`${tool} is not called: it rests on ${why}`);
    this.name = 'GateDenied';
  }
}

export interface GuardedTool {
  readonly name: string;
  /** The command, or the shape of the arguments; for the journal. */
  readonly action?: string;
  /** What it does. Whoever does not say is taken to change something. */
  readonly effect?: 'reads' | 'changes' | 'irreversible';
}

export interface AgentOptions extends GuildbookOptions {
  /** The run that this is: a memory that was told counts once in it. */
  readonly sessionId?: string;
}

/**
 * What an agent's loop needs: recall before the task, a gate around tool calls, remember, and a report at the end. It
 * keeps which memories this session was told. Needs nothing but `fetch`; throws what `Guildbook` throws.
 */
export class AgentSession {
  private readonly client: Guildbook;
  private readonly sessionId: string | undefined;
  private readonly delivered = new Set<string>();

  constructor({ sessionId, ...options }: AgentOptions) {
    this.client = new Guildbook(options);
    this.sessionId = sessionId;
  }

  /** Every memory that this session was told so far. */
  get memories(): readonly string[] {
    return [...this.delivered];
  }

  /** What to put before the model, and why. `messages` is empty where nothing answers. */
  async recall(query: string, more: Omit<NewRecall, 'query' | 'sessionId'> = {}): Promise<Recall> {
    const recall = await this.client.recall({ ...more, ...this.session(), query });
    for (const { id } of recall.memories) this.delivered.add(id);
    return recall;
  }

  /**
   * Runs a tool only if the memories that fed its call may: without `memories`, all that this session was told. A server
   * that cannot be asked is a no. Throws `GateDenied`; then `run` was not called.
   */
  async guard<T>(
    tool: GuardedTool,
    run: () => T | Promise<T>,
    memories: readonly string[] = this.memories,
  ): Promise<T> {
    const call: ToolCallCheckInput = {
      tool: { effect: 'changes', ...tool },
      memories: [...memories],
      ...this.session(),
    };
    const { decision, reasons } = await this.client.gate(call);
    if (decision !== 'allow') throw new GateDenied(tool.name, reasons);
    return run();
  }

  /** Keeps something for later. `sources`: the memories that it was concluded from. */
  remember(memory: Pick<NewMemory, 'lesson'> & Partial<NewMemory>): Promise<RememberResult> {
    return this.client.remember({ ...this.session(), ...memory });
  }

  /** The finished run, for others to learn from. The same `executionId` twice is one. */
  report(report: ExecutionReport): Promise<ReportReceipt> {
    return this.client.executions.report({ ...this.session(), ...report });
  }

  private session(): { sessionId?: string } {
    return this.sessionId === undefined ? {} : { sessionId: this.sessionId };
  }
}

type ToolCallCheckInput = Parameters<Guildbook['gate']>[0] & Pick<ToolCallCheck, 'tool'>;
