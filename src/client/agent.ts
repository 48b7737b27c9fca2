import type { ExecutionReport } from '../capture/report/execution-report.schema.js';
import type { ReportReceipt } from '../capture/store/executions.schema.js';
import type { NewMemory, RememberResult } from '../memory/lessons/remember.schema.js';
import type { GateDecision, ToolCallCheck } from '../recall/gate/gate.schema.js';
import type { NewRecall, Recall } from '../recall/ranking/recall.schema.js';
import type { SessionMemory, SessionOutcome } from '../sessions/entries/session-memory.schema.js';
import { Guildbook, type GuildbookOptions } from './guildbook.js';

export { Guildbook, GuildbookError, type GuildbookOptions, NoResponseError } from './guildbook.js';
export type {
  ExecutionReport,
  GateDecision,
  NewMemory,
  NewRecall,
  Recall,
  RememberResult as Remembered,
  ReportReceipt as Received,
};

/** Thrown instead of a tool call that the recalled memories do not authorise. `reasons` names each memory. */
export class GateDenied extends Error {
  constructor(
    readonly tool: string,
    readonly reasons: GateDecision['reasons'],
  ) {
    const why = reasons.map(({ memory, because }) => `${memory} (${because.replaceAll('_', ' ')})`).join(', ');
    super(`${tool} was not called, because of ${why}`);
    this.name = 'GateDenied';
  }
}

export interface GuardedTool {
  readonly name: string;
  /** The command, or the shape of the arguments, for the journal. */
  readonly action?: string;
  /** The effect of the call; `changes` without one. */
  readonly effect?: 'reads' | 'changes' | 'irreversible';
}

export interface AgentOptions extends GuildbookOptions {
  /** The id of this run. A memory counts once for each run that it is delivered in. */
  readonly sessionId?: string;
  /** What the agent keeps from session to session, from `guildbook/sessions`. `report` closes it. */
  readonly memory?: SessionMemory;
}

/**
 * The calls of an agent's loop: recall before the task, a gate around tool calls, remember, and a report at the end. It
 * tracks the memories delivered in this session. Depends only on `fetch`; throws the errors of `Guildbook`.
 */
export class AgentSession {
  private readonly client: Guildbook;
  private readonly sessionId: string | undefined;
  private readonly delivered = new Set<string>();
  readonly memory: SessionMemory | undefined;

  constructor({ sessionId, memory, ...options }: AgentOptions) {
    this.client = new Guildbook(options);
    this.sessionId = sessionId;
    this.memory = memory;
  }

  /** The ids of all memories delivered in this session so far. */
  get memories(): readonly string[] {
    return [...this.delivered];
  }

  /** The messages to put before the model, and the reason for each memory. `messages` is empty without a match. */
  async recall(query: string, more: Omit<NewRecall, 'query' | 'sessionId'> = {}): Promise<Recall> {
    const recall = await this.client.recall({ ...more, ...this.session(), query });
    for (const { id } of recall.memories) this.delivered.add(id);
    return recall;
  }

  /**
   * Runs a tool only if the gate allows the memories behind the call (default: all memories of this session). Fails
   * closed: without an answer of the gate, the tool does not run. Throws `GateDenied` on a denial, and then `run` has not
   * been called.
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

  /** Stores a memory for later sessions. `sources` are the ids of the memories that it was derived from. */
  remember(memory: Pick<NewMemory, 'lesson'> & Partial<NewMemory>): Promise<RememberResult> {
    return this.client.remember({ ...this.session(), ...memory });
  }

  /**
   * Reports the finished run, and closes the session memory with the same report, also if the server does not respond.
   * `asked` is what the person asked for; it goes into the summary of the session, not to the server. A second report
   * with the same `executionId` is a duplicate.
   */
  async report(report: ExecutionReport, more: Omit<SessionOutcome, 'report'> = {}): Promise<ReportReceipt> {
    const [receipt, closed] = await Promise.allSettled([
      this.client.executions.report({ ...this.session(), ...report }),
      this.memory?.close({ ...more, report }),
    ]);
    if (receipt.status === 'rejected') throw receipt.reason;
    if (closed.status === 'rejected') throw closed.reason;
    return receipt.value;
  }

  private session(): { sessionId?: string } {
    return this.sessionId === undefined ? {} : { sessionId: this.sessionId };
  }
}

type ToolCallCheckInput = Parameters<Guildbook['gate']>[0] & Pick<ToolCallCheck, 'tool'>;
