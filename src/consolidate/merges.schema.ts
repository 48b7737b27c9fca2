import { z } from 'zod';
import { count } from '../platform/base/count.schema.js';

const MergedSkill = z.object({ skillName: z.string(), version: z.int(), title: z.string() });

/**
 * What became of a pair: `pending`, if it or another proposal about one of the two is; `rejected`, if a person keeps both
 * versions; `changed`, if one of them is no longer live; `held_back`, if enough merges are pending.
 */
export const MERGE_OUTCOMES = ['submitted', 'dry_run', 'pending', 'rejected', 'changed', 'held_back'] as const;

/** Live skills that say the same, and what became of each pair. */
export const MergeSearch = z
  .object({
    dryRun: z.boolean(),
    /** Live skills that were compared. */
    skills: count,
    /** Live skills that only a part of the agents receives, and that are not compared. */
    inRollout: count,
    merges: z.array(
      z.object({
        keep: MergedSkill,
        retire: MergedSkill,
        /** Why the one stays. */
        says: z.string(),
        outcome: z.enum(MERGE_OUTCOMES),
        proposalId: z.uuid().nullable(),
      }),
    ),
  })
  .meta({ id: 'MergeSearch' });
export type MergeSearch = z.infer<typeof MergeSearch>;

export const StartMergeSearch = z.strictObject({ dryRun: z.boolean().default(false) });
export type StartMergeSearch = z.infer<typeof StartMergeSearch>;
