import { z } from 'zod';

export const NewRetentionRun = z
  .strictObject({
    /** Counts and removes nothing. */
    dryRun: z.boolean().default(false),
  })
  .meta({ id: 'NewRetentionRun' });
export type NewRetentionRun = z.infer<typeof NewRetentionRun>;

/** What one run removed, or what a dry run would remove. */
export const RetentionRun = z
  .object({
    /** Null for a dry run, which is not stored. */
    id: z.uuid().nullable(),
    trigger: z.enum(['schedule', 'request']),
    state: z.enum(['running', 'completed', 'interrupted']),
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    /** Reports received before this time are removed; null if all are kept. */
    reportsBefore: z.string().nullable(),
    deliveriesBefore: z.string().nullable(),
    /** Removed reports, each with its observations. */
    reports: z.int(),
    /** Old reports that stay, because a lesson, its evidence or another report cites them, or they are not read yet. */
    cited: z.int(),
    deliveries: z.int(),
    /** Removed records that a memory was delivered in a session. */
    retrievals: z.int(),
  })
  .meta({ id: 'RetentionRun' });
export type RetentionRun = z.infer<typeof RetentionRun>;

export const RetentionState = z
  .object({
    /** Days for which they are kept; null for ever. */
    keepReportsDays: z.int().nullable(),
    keepDeliveriesDays: z.int().nullable(),
    lastRun: RetentionRun.nullable(),
  })
  .meta({ id: 'RetentionState' });
export type RetentionState = z.infer<typeof RetentionState>;
