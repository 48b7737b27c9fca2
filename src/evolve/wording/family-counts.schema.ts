import { z } from 'zod';

const counts = z.record(z.string(), z.int());

/** What a model wrote about the families of a cycle, and what asking cost. */
export const FamilyCounts = z.object({
  /** The provider, the model and the version of the prompt; null if only rules write. */
  by: z.string().nullable(),
  /** Calls of the model in this cycle that were answered. */
  asked: z.int(),
  /** Examined families whose answer is a lesson that reached the check, whenever it was given. */
  lessons: z.int(),
  /** Answers that there is no lesson, by their kind. */
  declined: counts,
  /** Answers that became no candidate or no draft, by what refused them: `grounding`, `lint`, `predicate`, `draft`, `unreadable`. */
  rejected: counts,
  /** Families without an answer until a later cycle, and why. `batch`: the answers of a batch come later. */
  waiting: z.int(),
  because: z.enum(['over_budget', 'rate_limited', 'unavailable', 'batch']).nullable(),
  /** Of the questions of this cycle alone. */
  tokens: z.int(),
  usd: z.number(),
  seconds: z.number(),
});
export type FamilyCounts = Readonly<z.infer<typeof FamilyCounts>>;

/** A cycle in which only rules wrote. */
export const BY_RULES_ALONE: FamilyCounts = {
  by: null,
  asked: 0,
  lessons: 0,
  declined: {},
  rejected: {},
  waiting: 0,
  because: null,
  tokens: 0,
  usd: 0,
  seconds: 0,
};
