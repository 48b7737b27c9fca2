import type { AgentIdentity } from '../access/agents.service.js';
import type { Recollection } from './recollection.js';
import type { RecallMessage } from './rendering.js';

export type StrategyName = 'context';

export interface RecallQuery {
  readonly agent: AgentIdentity;
  readonly text: string;
  readonly tokenBudget: number;
  readonly limit: number;
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
}

/** A tool that the model is given, with its input as JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** How memory reaches an agent (spec R1). One conformance suite runs over every strategy. */
export interface RecallStrategy {
  readonly name: StrategyName;
  /** Never throws for what is stored: what cannot be told is left out, with a warning. */
  prepareMessages(query: RecallQuery): Promise<Recollection>;
  toolDefinitions(): readonly ToolDefinition[];
}
