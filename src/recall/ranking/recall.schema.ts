import { z } from 'zod';
import { Provenance, Scope } from '../../memory/store/lesson.schema.js';

/** How memories are found: by keywords (BM25), by vectors, by both fused, or by keyword overlap without an index. */
export const RetrievalMode = z.enum(['words', 'vectors', 'hybrid', 'keyword_overlap']);
export type RetrievalMode = z.infer<typeof RetrievalMode>;

/** How memory reaches an agent: in its context, by tools that it calls, or as memory that it edits itself. */
export const StrategyName = z.enum(['context', 'tool_based', 'self_editing']);
export type StrategyName = z.infer<typeof StrategyName>;

const contextTexts = z.array(z.string().trim().min(1).max(20_000)).max(20).optional();
/** Strict: any other key is refused, including `__proto__`. */
const Overrides = z.strictObject({
  hints: contextTexts,
  constraints: contextTexts,
  context: contextTexts,
  /** Replaces the memories that would be recalled. */
  relevant_memories: contextTexts,
  subagent_findings: contextTexts,
  conversation_history: contextTexts,
});

/** The agent's session, in its own words. It is stored as a reference. */
export const SessionId = z.string().trim().min(1).max(200);

/** The argument `newOnly` of a tool that reads. */
export const NEW_ONLY = z.boolean().default(false).describe('only what this session lacks');

/** The argument `steps` of a recall. */
const STEPS = z.boolean().default(true).describe('with steps, as the token budget allows');

/** The argument `recentTools` of a recall. */
const RECENT_TOOLS = z
  .array(z.string().trim().min(1).max(100))
  .max(20)
  .default([])
  .describe('tools that you used last');

/** The argument `alreadyRead` of a recall. */
const ALREADY_READ = z
  .array(z.string().trim().min(1).max(100))
  .max(200)
  .default([])
  .describe('ids of memories and names of skills to leave out');

/** The optional arguments of a tool that searches. */
export const SEARCH_OPTIONS = { steps: STEPS, recentTools: RECENT_TOOLS, alreadyRead: ALREADY_READ };

export const RecallRequest = z
  .strictObject({
    /** The task at hand. The first 50 words of the first 2,000 characters are searched. */
    query: z.string().trim().min(1).max(20_000),
    /** Tokens of all messages: the reading rules, the fence and the memories. */
    tokenBudget: z.int().min(0).max(32_000).default(2_000),
    /** Maximum number of memories. Default: 10, or the maximum of the server's ranking profile if that is lower. */
    limit: z.int().min(1).max(20).optional(),
    /** Prefers memories that differ from the ones ranked before them. Default: the server's ranking profile, true. */
    diversify: z.boolean().optional(),
    /** How memories reach the agent. Default: the server's setting. */
    strategy: StrategyName.optional(),
    /** Maximum number of query expansions. Default: the server's setting. */
    rounds: z.int().min(0).max(5).optional(),
    /** Context from the caller. It is delivered as unverified text. */
    overrides: Overrides.default({}),
    /** How memories are found. Default: the server's setting. */
    retrieval: RetrievalMode.optional(),
    /** Names of the agent's tools, for `keyword_overlap`. */
    tools: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
    /** The role of the message that holds the memories. Default: `user`. */
    role: z.enum(['user', 'system']).optional(),
    /** The agent's session. A memory counts once for each session that it is delivered in; without one, in each request. */
    sessionId: SessionId.optional(),
    /** Omits memories that the session already received, and delivers at most 60 KiB to the session. Needs `sessionId`. */
    newOnly: z.boolean().default(false),
    /**
     * Delivers the ordered steps of the memories, best first, with what is left of the token budget. They never displace
     * a memory; a record whose steps do not fit says how many it has and which tool gives them.
     */
    steps: STEPS,
    /**
     * Names of the tools that the agent used last. A selection model then leaves out what only explains how to use them;
     * `keyword_overlap` counts them like `tools`.
     */
    recentTools: RECENT_TOOLS,
    /** Ids of memories, and names of skills, that the agent has read already. They are left out. */
    alreadyRead: ALREADY_READ,
    /** Delivers only what a person approved, or what a person or independent evidence confirmed. */
    verifiedOnly: z.boolean().default(false),
    /** Delivers only what is at least as relevant, from 0 to 1. Default: the server's threshold, which is the lowest. */
    minRelevance: z.number().min(0).max(1).optional(),
    /**
     * Delivers the best matches even if they are less relevant, those by their titles and marked as weak: for a search
     * that was asked for. Without it, a recall is silent about what no memory is about.
     */
    weak: z.boolean().default(false),
    /** For people and services: the agent to recall for. Such a recall is not counted as use. */
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

const SourceRankSchema = z.object({ rank: z.int(), relevance: z.number() }).optional();

/** The ranking profile by its name and the hash of its values. */
const ProfileReference = z.object({ name: z.string(), sha256: z.string() });

export const Recall = z
  .object({
    strategy: StrategyName,
    retrieval: RetrievalMode,
    agent: z.string(),
    /** The ranking profile of the server; absent for the default one. */
    profile: ProfileReference.extend({ relevanceWeight: z.number(), recencyWeight: z.number() }).optional(),
    /** Pass these to the model unchanged. The second message is data between two tags. */
    messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
    /** Tools for the model. They are called by POST /v1/recall/tools/{name} or over MCP. */
    tools: z.array(
      z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
    ),
    /** The memories in the messages, in order, with their scores. */
    memories: z.array(
      RecalledMemory.extend({
        relevance: z.number(),
        /** Delivered by its title only, because the request asks for weak matches. */
        weak: z.boolean(),
        recency: z.number(),
        combined: z.number(),
        /** The rank in each source, from 1, and the relevance by that source's measure. */
        foundBy: z.object({ words: SourceRankSchema, vectors: SourceRankSchema }),
      }),
    ),
    /** Other matches, with the reason why they are omitted. */
    leftOut: z.array(
      RecalledMemory.extend({
        because: z.enum([
          'below_threshold',
          'filtered',
          'delivered_before',
          /** The request says that the agent has read it. */
          'already_read',
          /** Another delivered memory says the same. */
          'repeats_another',
          'not_selected',
          'beyond_limit',
          'over_budget',
          'session_full',
        ]),
      }),
    ),
    /** An estimate that is rather too high than too low. */
    tokens: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Recall' });
export type Recall = z.infer<typeof Recall>;

/** As in the file that GUILDBOOK_RANKING_PROFILE names, with all defaults. */
const RankingValues = z.object({
  relevanceWeight: z.number(),
  recencyWeight: z.number(),
  personalBoost: z.number(),
  decayPerHour: z.number(),
  defaultRelevance: z.number(),
  minRelevance: z.number(),
  maxResults: z.int(),
  fusion: z.object({ k: z.number(), embedderWeight: z.number() }),
  diversity: z.object({ enabled: z.boolean(), lambda: z.number(), pool: z.int(), similarity: z.string() }),
  filter: z.string(),
});

/** The recall settings and the progress of the vector index. */
export const RecallState = z
  .object({
    strategy: StrategyName,
    retrieval: RetrievalMode,
    /** The ranking profile with all its values. */
    profile: ProfileReference.extend({ fromFile: z.boolean(), values: RankingValues }),
    memories: z.int(),
    vectors: z.object({
      embedder: z.string(),
      /** False until the first recall with vectors. No memory is embedded before. */
      enabled: z.boolean(),
      embedded: z.int(),
      pending: z.int(),
      /** The reason why embedding has stopped; null without a problem. */
      problem: z.string().nullable(),
    }),
    /** Settings that have no effect, or need another setting. */
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RecallState' });
export type RecallState = z.infer<typeof RecallState>;

/** The model's input for a tool. The schema of the tool validates it. */
export const ToolCall = z
  .strictObject({
    input: z.record(z.string(), z.unknown()).default({}),
    sessionId: SessionId.optional(),
  })
  .meta({ id: 'MemoryToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;
export const ToolParams = z.strictObject({ tool: z.string().max(100) });
export type ToolParams = z.infer<typeof ToolParams>;

export const ToolAnswer = z
  .object({
    /** Text for the model. Text that others wrote is fenced. */
    content: z.string(),
    /** The ids of the delivered memories, without weak matches. */
    memories: z.array(z.uuid()),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'MemoryToolAnswer' });
export type ToolAnswer = z.infer<typeof ToolAnswer>;
