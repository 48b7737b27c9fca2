import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';

const Amount = z.object({
  calls: count,
  inputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  outputTokens: count,
  /** At the prices of the day of each call. */
  usd: z.number(),
});

/** The same values as the constraint of the table; `family` is of earlier versions. */
export const ProposerPurpose = z.enum(['lesson', 'wording', 'family', 'summary']);

const Budget = z.object({
  span: z.enum(['day', 'cycle']),
  since: z.string(),
  resets: z.string(),
  /** A call that is not settled counts at its maximum. */
  tokens: z.object({ used: count, limit: count }),
  usd: z.object({ used: z.number(), limit: z.number() }),
});

/** The state of the proposer, its budgets and its costs. */
export const ProposerUsage = z
  .object({
    proposer: z.string(),
    model: z.string().nullable(),
    /**
     * off: disabled, nothing is captured · rules: no model is configured · asking: a model writes · resting: the model
     * did not answer · over_budget
     */
    state: z.enum(['off', 'rules', 'asking', 'resting', 'over_budget']),
    /** Why the model is not called, and until when. */
    reason: z.string().nullable(),
    until: z.string().nullable(),
    price: z.object({ inputUsd: z.number(), outputUsd: z.number(), known: z.boolean() }),
    budgets: z.array(Budget),
    waiting: z.object({
      /** Executions without a lesson yet. */
      payloads: count,
      /** Lessons of the rules that wait for the model. */
      awaitingProposer: count,
    }),
    /** The latest batches, newest first. */
    batches: z.array(
      z.object({
        id: z.uuid(),
        purpose: z.enum(['lesson', 'family']),
        state: z.enum(['prepared', 'submitted', 'ended', 'lost']),
        /** Its questions. */
        payloads: count,
        createdAt: z.string(),
        endedAt: z.string().nullable(),
        note: z.string().nullable(),
      }),
    ),
    since: z.string(),
    total: Amount,
    days: z.array(Amount.extend({ day: z.string() })),
    /** By purpose: lessons of executions, the wording of drafts, or summaries of sessions. */
    purposes: z.array(Amount.extend({ purpose: ProposerPurpose })),
    /** By outcome: a lesson, words, or the reason why there is neither. */
    outcomes: z.array(Amount.extend({ outcome: z.string() })),
    /** The most expensive lessons first. */
    lessons: z.array(Amount.extend({ id: z.uuid(), agent: z.string(), proposer: z.string(), live: z.boolean() })),
    /** Live skills, with all calls for executions that match their patterns and all calls that worded them. */
    skills: z.array(Amount.extend({ name: z.string(), version: z.int(), lessons: count })),
    /** The small model of recalls has its own budget, counted in calls. The individual calls are not stored. */
    recall: z.object({
      model: z.string().nullable(),
      dayCalls: count,
      days: z.array(z.object({ day: z.string(), calls: count })),
    }),
  })
  .meta({ id: 'ProposerUsage' });
export type ProposerUsage = z.infer<typeof ProposerUsage>;

export const UsageQuery = z.strictObject({
  /** How many days the sums cover; budgets have their own spans. */
  days: z.coerce.number().int().min(1).max(365).default(30),
});
export type UsageQuery = z.infer<typeof UsageQuery>;
