import { z } from 'zod';
import { Lesson } from '../../memory/store/lesson.schema.js';

/** The texts of a lesson. Its environment and its example are taken from the execution, and not from a model. */
const WrittenLesson = Lesson.omit({ environment: true, example: true });

/**
 * What a model may write. Scope, provenance, supersession, counters and control tags are not in the schema, so that a
 * model cannot set them.
 */
export const ProposedLesson = z.strictObject({
  /** False: the execution teaches nothing that an agent does not know. */
  update: z.boolean(),
  lesson: WrittenLesson.nullable(),
});
export type ProposedLesson = z.infer<typeof ProposedLesson>;
