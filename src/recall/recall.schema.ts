import { z } from 'zod';
import { Provenance, Scope } from '../memory/lesson.schema.js';

export const RecallRequest = z
  .strictObject({
    /** The task at hand. Its first 2,000 characters and 50 words are looked for. */
    query: z.string().trim().min(1).max(20_000),
    /** Everything that is sent counts: the rules for reading, the fence and the memories. */
    tokenBudget: z.int().min(0).max(32_000).default(2_000),
    limit: z.int().min(1).max(20).default(10),
    /** Prefers memories that say something else than the ones before them. */
    diversify: z.boolean().default(true),
    /** The role of the message that holds the memories. */
    role: z.enum(['user', 'system']).default('user'),
    /** The agent's session: a memory that is told in it counts once, however often it is told. */
    sessionId: z.string().trim().min(1).max(200).optional(),
    /** For people and services: the agent that it is asked for. Counts nothing. */
    agent: z.string().trim().min(1).max(100).optional(),
  })
  .meta({ id: 'RecallRequest' });
export type RecallRequest = z.infer<typeof RecallRequest>;
export type NewRecall = Pick<RecallRequest, 'query'> & Partial<RecallRequest>;

const Told = z.object({
  id: z.uuid(),
  scope: Scope,
  provenance: Provenance,
  discovery: z.string(),
  skillName: z.string().nullable(),
  version: z.int().nullable(),
  createdAt: z.string(),
});

/** One memory whole, as a model reads it: fenced, with its provenance and its steps. */
export const ShownMemory = Told.extend({ content: z.string() }).meta({ id: 'ShownMemory' });
export type ShownMemory = z.infer<typeof ShownMemory>;

export const Recall = z
  .object({
    strategy: z.enum(['context']),
    agent: z.string(),
    /** To put before the model as they are: the second one is data between two tags. */
    messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
    /** What the messages tell, in their order, and why each stands where it does. */
    memories: z.array(Told.extend({ relevance: z.number(), recency: z.number(), combined: z.number() })),
    /** What also answers the query, and why it is not told. */
    leftOut: z.array(Told.extend({ because: z.enum(['below_threshold', 'filtered', 'beyond_limit', 'over_budget']) })),
    /** An estimate, rather too high. */
    tokens: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Recall' });
export type Recall = z.infer<typeof Recall>;
