import { z } from 'zod';
import { Lesson } from '../../memory/store/lesson.schema.js';

/**
 * What a model may write. Scope, provenance, supersession, counters and control tags are not in the schema, so that a
 * model cannot set them.
 */
export const ProposedLesson = z.strictObject({
  /** False: the execution teaches nothing that an agent does not know. */
  update: z.boolean(),
  lesson: Lesson.nullable(),
});
export type ProposedLesson = z.infer<typeof ProposedLesson>;
