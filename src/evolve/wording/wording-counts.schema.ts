import { z } from 'zod';

/** How the proposals of a cycle were worded. */
export const WordingCounts = z.object({
  byModel: z.int(),
  /** Refreshed with words that a model wrote earlier. */
  kept: z.int(),
  byRules: z.int(),
  /** Why the rules worded a draft although a model was configured. */
  reasons: z.record(z.string(), z.int()),
});
export type WordingCounts = z.infer<typeof WordingCounts>;
