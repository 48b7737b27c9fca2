import { z } from 'zod';
import { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { GateFinding } from '../../evidence/gates/gated-lesson.schema.js';
import { CandidateRow, FamilyRow } from '../cycle/candidates.schema.js';

/** A fingerprint or its beginning, with or without `sha256:`. */
export const FamilyPrefix = z
  .string()
  .regex(/^(?:sha256:)?[0-9a-f]{4,64}$/, { error: 'must be the first 4 or more hex digits of a fingerprint' })
  .transform((prefix) => (prefix.startsWith('sha256:') ? prefix : `sha256:${prefix}`))
  .meta({ example: '5f5f5f5f' });

/** Why no model has answered about a family. */
export const UNANSWERED = [
  /** No model is configured: rules wrote. */
  'rules_only',
  /** All its executions are of one task, so that its values may be those of one person. */
  'one_origin',
  /** No example or contrast can be shown. */
  'nothing_to_show',
  /** Repeating the same call overcomes it: there is nothing to learn. */
  'passes',
  /** The next cycle with room in the budgets asks. */
  'waiting',
] as const;

const Answer = z.object({
  /** The provider, the model and the version of the prompt. */
  by: z.string(),
  /** `sha256:…` of the whole prompt and the model. */
  hash: z.string(),
  askedAt: z.string(),
  /** Executions with the failure when it was asked; it is asked again when they have doubled. */
  executions: z.int(),
  learnedFrom: z.enum(['a', 'b']),
  /** The predicate was asked for a second time. */
  rewritten: z.boolean(),
  /** What it said; null if it cannot be read. */
  answer: LessonAnswer.nullable(),
});

/** What the gates make of the answer; a cycle does the same. */
const Gates = z.object({
  /** The refusal, in words that may be shown. */
  declined: z.string().nullable(),
  /** What grounding and lint refuse. */
  findings: z.array(GateFinding),
  /** What is wrong with the predicate or its example, or what the cycle found when it tried the predicate. */
  problem: z.string().nullable(),
  /** Steps that recommend a call that was not observed. */
  removed: z.array(z.string()),
  /** It became a candidate, which executions are compared for. */
  passed: z.boolean(),
});

/** Everything that led to the lessons about a family, or to none. */
export const FamilyExplanation = z
  .object({
    cycle: z.object({ id: z.uuid(), finishedAt: z.string() }),
    family: FamilyRow,
    /** The dossier of all examined executions, as text. */
    dossier: z.string(),
    /** The configured model with the version of its prompt; null if only rules write. */
    model: z.string().nullable(),
    /** What the model was asked, or would be: with the dossier of one half. Null for a family that no model may see. */
    prompt: z.object({ system: z.string(), user: z.string() }).nullable(),
    answer: Answer.nullable(),
    unanswered: z.enum(UNANSWERED).nullable(),
    gates: Gates.nullable(),
    candidates: z.array(CandidateRow),
    /** The newest proposals about the family, of whatever state. */
    proposals: z.array(
      z.object({
        id: z.uuid(),
        title: z.string(),
        state: z.string(),
        kind: z.string(),
        writer: z.string(),
        /** Why it was rejected. */
        reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'FamilyExplanation' });
export type FamilyExplanation = z.infer<typeof FamilyExplanation>;
