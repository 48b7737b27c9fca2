import { z } from 'zod';

/** How the proposals of a cycle came to their words. */
export const WordingCounts = z.object({
  byModel: z.int(),
  /** Refreshed, with the words that a model found for it earlier. */
  kept: z.int(),
  byRules: z.int(),
  /** Why by rules, where a model was to find the words. */
  reasons: z.record(z.string(), z.int()),
});
export type WordingCounts = z.infer<typeof WordingCounts>;
