import { z } from 'zod';

/** The largest number of memories that a model may select. */
export const MAX_SELECTED = 5;

/** The numbers of the listed memories to return, the most useful first. */
export const RecallChoice = z.strictObject({ selected: z.array(z.int()).max(MAX_SELECTED) });
export type RecallChoice = z.infer<typeof RecallChoice>;

/** Whether the memories are enough, and what to search for if not. */
export const RecallReview = z.strictObject({ enough: z.boolean(), query: z.string().max(500) });
export type RecallReview = z.infer<typeof RecallReview>;
