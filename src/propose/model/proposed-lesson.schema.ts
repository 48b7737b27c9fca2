import { z } from 'zod';
import { Lesson } from '../../memory/store/lesson.schema.js';

/**
 * What a model may say. Scope, provenance, supersession, counters and control tags are not in it, so that a model
 * cannot set them at all (spec L5).
 */
export const ProposedLesson = z.strictObject({
  /** False: there is nothing to learn here that an agent does not know already. */
  update: z.boolean(),
  lesson: Lesson.nullable(),
});
export type ProposedLesson = z.infer<typeof ProposedLesson>;
