import { z } from 'zod';

/** The most that a model chooses (spec R3). */
export const MAX_SELECTED = 5;

/** Which of the memories that were listed are told, by their numbers, the most useful first. */
export const RecallChoice = z.strictObject({ selected: z.array(z.int()).max(MAX_SELECTED) });
export type RecallChoice = z.infer<typeof RecallChoice>;

/** Whether what was found is enough, and what to search for where it is not. */
export const RecallReview = z.strictObject({ enough: z.boolean(), query: z.string().max(500) });
export type RecallReview = z.infer<typeof RecallReview>;
