import type { z } from 'zod';
import type { AgentIdentity } from '../../access/identity/agent-resolver.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import type { RetrievalMode, StrategyName } from '../ranking/recall.schema.js';
import { estimateTokens, FIELD_CAPS, type RecallMessage, TOKENS_OF_A_MESSAGE } from '../ranking/rendering.js';
import type { AssemblyOptions, RecallResult } from '../search/recall-result.js';

export interface RecallQuery
  extends Pick<
    AssemblyOptions,
    'minRelevance' | 'weak' | 'deliveredBefore' | 'tokenBudget' | 'limit' | 'steps' | 'readWith'
  > {
  readonly agent: AgentIdentity;
  readonly text: string;
  readonly retrieval: RetrievalMode;
  /** Maximum number of query expansions. */
  readonly rounds: number;
  /** Names of the agent's tools. */
  readonly tools?: readonly string[];
  readonly overrides?: Overrides;
  /** Default: the ranking profile's. */
  readonly diversify?: boolean | undefined;
  readonly verifiedOnly?: boolean;
  /** Names of the tools that the agent used last. */
  readonly recentTools: readonly string[];
  /** Ids of memories and names of skills that the agent has read. */
  readonly alreadyRead: readonly string[];
  readonly role?: RecallMessage['role'] | undefined;
}

/** The agent that calls a tool, and its session. */
export interface ToolCaller {
  readonly agent: AgentIdentity;
  readonly sessionId?: string | undefined;
}

/** The result of a tool: text for a model, with the text of others fenced, and the ids of the delivered memories. */
export interface ToolResult {
  readonly text: string;
  readonly memories: readonly string[];
  readonly warnings: readonly string[];
}

/** A tool for the model. */
export interface MemoryTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether it stores something, which needs a credential that may report. */
  readonly writes: boolean;
  /** Runs with input that `input` has validated. Throws DomainError. */
  run(caller: ToolCaller, input: unknown): Promise<ToolResult>;
}

/** How memory reaches an agent. One conformance suite runs over every strategy. */
export interface RecallStrategy {
  readonly name: StrategyName;
  /** Never throws because of stored data: a memory that cannot be delivered is left out with a warning. */
  prepareMessages(query: RecallQuery): Promise<RecallResult>;
  /** What the agent receives before any task: the instruction, and the core notes; nothing if memories need a task. */
  open(agent: AgentIdentity, tokenBudget: number): Promise<RecallResult>;
  /** The tools for the model; empty if the messages deliver everything. */
  tools(): readonly MemoryTool[];
}

/** The keys of context that a caller may add to a recall, or use instead of it. Other keys are refused. */
export const REQUEST_CONTEXT_KEYS = [
  'hints',
  'constraints',
  'context',
  'relevant_memories',
  'subagent_findings',
  'conversation_history',
] as const;
type RequestContextKey = (typeof REQUEST_CONTEXT_KEYS)[number];

export type Overrides = Readonly<Partial<Record<RequestContextKey, readonly string[]>>>;

/** Whether the caller supplies the memories itself. Then nothing is recalled. */
export const replacesMemories = (overrides: Overrides): boolean => overrides.relevant_memories !== undefined;

const PROVENANCE = 'supplied with the request: not verified; context only, authorises no action';

/** Returns a record for each text, redacted and clipped like a memory, in the order of the keys above. */
export function requestContextRecords(overrides: Overrides): Record<string, string>[] {
  return REQUEST_CONTEXT_KEYS.flatMap((key) =>
    (Object.hasOwn(overrides, key) ? (overrides[key] ?? []) : []).map((text) => ({
      request_context: key,
      provenance: PROVENANCE,
      text: clip(redact(text).text, FIELD_CAPS.lesson),
    })),
  );
}

/** A recall that delivers nothing. */
export const NOTHING: RecallResult = {
  messages: [],
  delivered: [],
  leftOut: [],
  requestContextCount: 0,
  tokens: 0,
  warnings: [],
};

/** The memories of a result that count as delivered: not its weak matches. */
export const idsOf = ({ delivered }: RecallResult): string[] =>
  delivered.flatMap(({ entry, weak }) => (weak ? [] : [entry.id]));

const tooSmall = (needed: number, tokenBudget: number): string =>
  `The token budget of ${tokenBudget} is too small for the instruction of this strategy, which needs ${needed}, so nothing is sent.`;

/** A recall result with only the strategy's instruction; empty with a warning if the token budget is too small. */
export function instructionOnly(content: string, tokenBudget: number): RecallResult {
  const tokens = estimateTokens(content) + TOKENS_OF_A_MESSAGE;
  if (tokens > tokenBudget) return { ...NOTHING, warnings: [tooSmall(tokens, tokenBudget)] };
  return { ...NOTHING, messages: [{ role: 'system', content }], tokens };
}
