import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';
import { IdPrefix } from '../../platform/base/id-prefix.schema.js';
import { END_REASONS } from '../lessons/retention-candidate.js';

export const UpkeepReport = z.object({
  pruning: z.enum(['none', 'ttl', 'pareto', 'hybrid']),
  propagation: z.enum(['none', 'role', 'department']),
  agents: count,
  /** Live private lessons before the run. */
  lessons: count,
  ended: z.record(z.enum(END_REASONS), count),
  copied: count,
  /** The first of them, by agent. */
  endings: z.array(z.object({ id: z.uuid(), agent: z.string(), why: z.enum(END_REASONS) })),
  copies: z.array(z.object({ source: z.uuid(), from: z.string(), to: z.string() })),
});
export type UpkeepReport = z.infer<typeof UpkeepReport>;

/** One run of the upkeep of private lessons. */
export const UpkeepRun = z
  .object({
    id: z.uuid(),
    trigger: z.enum(['schedule', 'request']),
    dryRun: z.boolean(),
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    /** Until when it can be undone; null if there is nothing to undo. */
    undoUntil: z.string().nullable(),
    undoneAt: z.string().nullable(),
    report: UpkeepReport.nullable(),
  })
  .meta({ id: 'UpkeepRun' });
export type UpkeepRun = z.infer<typeof UpkeepRun>;

export const UpkeepRunList = z.object({ items: z.array(UpkeepRun) }).meta({ id: 'UpkeepRunList' });
export type UpkeepRunList = z.infer<typeof UpkeepRunList>;

export const UpkeepQuery = z.strictObject({
  /** Only runs whose id begins so. */
  id: IdPrefix.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type UpkeepQuery = z.infer<typeof UpkeepQuery>;

export const StartUpkeep = z.strictObject({ dryRun: z.boolean().default(false) });
export type StartUpkeep = z.infer<typeof StartUpkeep>;

export const UpkeepUndoResult = z.object({ run: UpkeepRun, restored: count }).meta({ id: 'UpkeepUndoResult' });
export type UpkeepUndoResult = z.infer<typeof UpkeepUndoResult>;
