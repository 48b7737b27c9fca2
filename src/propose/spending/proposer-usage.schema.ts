import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';

const Amount = z.object({
  calls: count,
  inputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  outputTokens: count,
  /** At the prices of the day on which each call was made. */
  usd: z.number(),
});

const Budget = z.object({
  span: z.enum(['day', 'cycle']),
  since: z.string(),
  resets: z.string(),
  /** What is under way counts at the most that it may use. */
  tokens: z.object({ used: count, limit: count }),
  usd: z.object({ used: z.number(), limit: z.number() }),
});

/** What the proposer does, what it may cost, and what it did cost. */
export const ProposerUsage = z
  .object({
    proposer: z.string(),
    model: z.string().nullable(),
    /** off: nothing is captured · rules: no model is set · resting: the model did not answer · over_budget */
    state: z.enum(['off', 'rules', 'asking', 'resting', 'over_budget']),
    /** Why the model is not asked, and until when. */
    reason: z.string().nullable(),
    until: z.string().nullable(),
    price: z.object({ inputUsd: z.number(), outputUsd: z.number(), known: z.boolean() }),
    budgets: z.array(Budget),
    waiting: z.object({
      /** Executions that nobody has written a lesson of yet. */
      payloads: count,
      /** Lessons of the rules that the model is to be asked about again. */
      awaitingProposer: count,
    }),
    /** The last ones, newest first. */
    batches: z.array(
      z.object({
        id: z.uuid(),
        state: z.enum(['prepared', 'submitted', 'ended', 'lost']),
        payloads: count,
        createdAt: z.string(),
        endedAt: z.string().nullable(),
        note: z.string().nullable(),
      }),
    ),
    since: z.string(),
    total: Amount,
    days: z.array(Amount.extend({ day: z.string() })),
    /** What they were made for: lessons of executions, or the wording of proposals. */
    purposes: z.array(Amount.extend({ purpose: z.enum(['lesson', 'wording']) })),
    /** What came of the calls: a lesson or words, or why none. */
    outcomes: z.array(Amount.extend({ outcome: z.string() })),
    /** The dearest lessons first. */
    lessons: z.array(Amount.extend({ id: z.uuid(), agent: z.string(), proposer: z.string(), live: z.boolean() })),
    /** Live skills, with all calls about executions that met the pattern of one, and those that worded it. */
    skills: z.array(Amount.extend({ name: z.string(), version: z.int(), lessons: count })),
    /** The small model of recalls: a budget of its own, counted in calls. Which ones they were is not kept. */
    recall: z.object({
      model: z.string().nullable(),
      dayCalls: count,
      days: z.array(z.object({ day: z.string(), calls: count })),
    }),
  })
  .meta({ id: 'ProposerUsage' });
export type ProposerUsage = z.infer<typeof ProposerUsage>;

export const UsageQuery = z.strictObject({
  /** How far back the sums go; budgets have spans of their own. */
  days: z.coerce.number().int().min(1).max(365).default(30),
});
export type UsageQuery = z.infer<typeof UsageQuery>;
