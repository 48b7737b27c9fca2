import type { z } from 'zod';
import type { AgentIdentity } from '../../access/identity/agent-resolver.service.js';
import type { RetrievalMode, StrategyName } from '../ranking/recall.schema.js';
import type { RecallMessage } from '../ranking/rendering.js';
import type { DeliveredBefore } from '../ranking/session-history.js';
import type { RecallResult } from '../search/recall-result.js';
import type { Overrides } from './request-context.js';

export interface RecallQuery {
  readonly agent: AgentIdentity;
  readonly text: string;
  readonly retrieval: RetrievalMode;
  /** How often it searches again for what the query still lacks. */
  readonly rounds: number;
  /** Names of the tools that the agent has. */
  readonly tools: readonly string[];
  readonly overrides: Overrides;
  readonly tokenBudget: number;
  readonly limit: number;
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
  /** What its session knows already. */
  readonly deliveredBefore: DeliveredBefore;
}

/** Who calls a tool, and in which of its sessions. */
export interface ToolCaller {
  readonly agent: AgentIdentity;
  readonly sessionId?: string | undefined;
}

/** What a tool gives: text for a model, fenced where others wrote it, and which memories it told. */
export interface ToolResult {
  readonly text: string;
  readonly memories: readonly string[];
  readonly warnings: readonly string[];
}

/** A tool that the model is given. */
export interface MemoryTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** It stores something, and so needs a credential that may report. */
  readonly writes: boolean;
  /** Takes what `input` lets through. Throws DomainError. */
  run(caller: ToolCaller, input: unknown): Promise<ToolResult>;
}

/** How memory reaches an agent (spec R1). One conformance suite runs over every strategy. */
export interface RecallStrategy {
  readonly name: StrategyName;
  /** Never throws for what is stored: what cannot be told is left out, with a warning. */
  prepareMessages(query: RecallQuery): Promise<RecallResult>;
  /** What the model is given beside the messages; none where everything is told in them. */
  tools(): readonly MemoryTool[];
}
