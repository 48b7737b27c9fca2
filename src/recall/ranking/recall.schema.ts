import { z } from 'zod';
import { Provenance, Scope } from '../../memory/store/lesson.schema.js';

/** By what memories are found: by words (BM25), by vectors, by both fused, or by the smallest retriever. */
export const RetrievalMode = z.enum(['words', 'vectors', 'hybrid', 'keyword_overlap']);
export type RetrievalMode = z.infer<typeof RetrievalMode>;

/** How memory reaches an agent: put before it, asked for by its tools, or kept by itself. */
export const StrategyName = z.enum(['context', 'tool_based', 'self_editing']);
export type StrategyName = z.infer<typeof StrategyName>;

const contextTexts = z.array(z.string().trim().min(1).max(20_000)).max(20).optional();
/** No other key is taken, those of an object's own make-up included. */
const Overrides = z.strictObject({
  hints: contextTexts,
  constraints: contextTexts,
  context: contextTexts,
  /** In the place of what would be recalled. */
  relevant_memories: contextTexts,
  subagent_findings: contextTexts,
  conversation_history: contextTexts,
});

export const RecallRequest = z
  .strictObject({
    /** The task at hand. Its first 2,000 characters and 50 words are looked for. */
    query: z.string().trim().min(1).max(20_000),
    /** Everything that is sent counts: the rules for reading, the fence and the memories. */
    tokenBudget: z.int().min(0).max(32_000).default(2_000),
    limit: z.int().min(1).max(20).default(10),
    /** Prefers memories that say something else than the ones before them. */
    diversify: z.boolean().default(true),
    /** How it reaches the agent; without it, as the server is set up. */
    strategy: StrategyName.optional(),
    /** How often it searches again for what the query still lacks; without it, as the server is set up. */
    rounds: z.int().min(0).max(5).optional(),
    /** Handed in by the caller, and told as what it is: not verified. */
    overrides: Overrides.default({}),
    /** By what they are found; without it, as the server is set up. */
    retrieval: RetrievalMode.optional(),
    /** Names of the tools that the agent has, for the smallest retriever. */
    tools: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
    /** The role of the message that holds the memories. */
    role: z.enum(['user', 'system']).default('user'),
    /** The agent's session: a memory that is told in it counts once, however often it is told. */
    sessionId: z.string().trim().min(1).max(200).optional(),
    /** Leaves out what the session was told before, and tells it at most 60 KB in all. */
    newOnly: z.boolean().default(false),
    /** For people and services: the agent that it is asked for. Counts nothing. */
    agent: z.string().trim().min(1).max(100).optional(),
  })
  .meta({ id: 'RecallRequest' });
export type RecallRequest = z.infer<typeof RecallRequest>;
export type NewRecall = Pick<RecallRequest, 'query'> & Partial<RecallRequest>;

const RecalledMemory = z.object({
  id: z.uuid(),
  scope: Scope,
  provenance: Provenance,
  discovery: z.string(),
  skillName: z.string().nullable(),
  version: z.int().nullable(),
  createdAt: z.string(),
});

/** One memory whole, as a model reads it: fenced, with its provenance and its steps. */
export const ShownMemory = RecalledMemory.extend({ content: z.string() }).meta({ id: 'ShownMemory' });
export type ShownMemory = z.infer<typeof ShownMemory>;

const SourceRankSchema = z.object({ rank: z.int(), relevance: z.number() }).optional();

export const Recall = z
  .object({
    strategy: StrategyName,
    retrieval: RetrievalMode,
    agent: z.string(),
    /** To put before the model as they are: the second one is data between two tags. */
    messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
    /** To give to the model beside them; called by POST /v1/recall/tools/{name}, or over MCP. */
    tools: z.array(
      z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
    ),
    /** What the messages tell, in their order, and why each stands where it does. */
    memories: z.array(
      RecalledMemory.extend({
        relevance: z.number(),
        recency: z.number(),
        combined: z.number(),
        /** Where each source puts it, from 1 on, and how well it answers by that source's own measure. */
        foundBy: z.object({ words: SourceRankSchema, vectors: SourceRankSchema }),
      }),
    ),
    /** What also answers the query, and why it is not told. */
    leftOut: z.array(
      RecalledMemory.extend({
        because: z.enum([
          'below_threshold',
          'filtered',
          'delivered_before',
          'not_selected',
          'beyond_limit',
          'over_budget',
          'session_full',
        ]),
      }),
    ),
    /** An estimate, rather too high. */
    tokens: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Recall' });
export type Recall = z.infer<typeof Recall>;

/** What recall is set up to do, and how far it is. */
export const RecallState = z
  .object({
    strategy: StrategyName,
    retrieval: RetrievalMode,
    memories: z.int(),
    vectors: z.object({
      embedder: z.string(),
      /** False until a recall asks for vectors: none are made before. */
      enabled: z.boolean(),
      embedded: z.int(),
      pending: z.int(),
      /** Why it does not go on. */
      problem: z.string().nullable(),
    }),
    /** What is set and has no effect, or lacks something. */
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RecallState' });
export type RecallState = z.infer<typeof RecallState>;

/** What the model gave as the tool's input, checked by the tool's own schema. */
export const ToolCall = z
  .strictObject({
    input: z.record(z.string(), z.unknown()).default({}),
    sessionId: z.string().trim().min(1).max(200).optional(),
  })
  .meta({ id: 'MemoryToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;
export const ToolParams = z.strictObject({ tool: z.string().max(100) });
export type ToolParams = z.infer<typeof ToolParams>;

export const ToolAnswer = z
  .object({
    /** For the model: fenced where others wrote it. */
    content: z.string(),
    /** The memories that it told. */
    memories: z.array(z.uuid()),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'MemoryToolAnswer' });
export type ToolAnswer = z.infer<typeof ToolAnswer>;
