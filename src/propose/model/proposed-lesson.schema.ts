import { z } from 'zod';
import { Lesson } from '../../memory/store/lesson.schema.js';

/** Why a model declines to write a lesson. */
export const REFUSAL_KINDS = [
  'duplicate',
  'noise',
  'measurement',
  'heterogeneous',
  'unsolvable',
  'confounded',
  'not_an_error',
  'changes_the_request',
  'environment_state',
  'single_task',
  'policy',
] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

/** The texts of a lesson. Where it holds and its example are taken from the execution, and not from a model. */
const WrittenLesson = Lesson.omit({ environment: true, example: true, binding: true });

/**
 * What a model may write: a lesson, or why it declines. Scope, provenance, supersession, counters and control tags are
 * not in the schema, so that a model cannot set them.
 */
export const ProposedLesson = z.strictObject({
  /** False: the execution teaches nothing that an agent does not know. */
  update: z.boolean(),
  lesson: WrittenLesson.nullable(),
  /** Why there is no lesson; null beside a lesson. */
  refusal: z.strictObject({ kind: z.enum(REFUSAL_KINDS), reason: z.string().max(600) }).nullable(),
});
export type ProposedLesson = z.infer<typeof ProposedLesson>;

/** The same as it is read: a server that does not enforce the schema may leave out what is null. */
export const AnsweredProposal = ProposedLesson.extend({ refusal: ProposedLesson.shape.refusal.default(null) });
export type AnsweredProposal = z.infer<typeof AnsweredProposal>;
