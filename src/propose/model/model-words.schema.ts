import { z } from 'zod';

const line = (max: number) => z.string().trim().min(1).max(max);

/**
 * The words that a model may write for a draft: title, description, reason and notes. Condition, action, steps, name,
 * tags and all figures are not in the schema, so that a model cannot set them.
 */
export const ModelWords = z.strictObject({
  title: line(120),
  discovery: line(600),
  /** Why the action helps. The figures follow it. */
  why: line(600),
  notes: z.array(line(300)).max(3),
});
export type ModelWords = z.infer<typeof ModelWords>;

/** Why a draft keeps the words of the rules although a model could have written them. */
export const WORDING_FAILURES = [
  // The model was not asked, or did not answer.
  'over_budget',
  'calls_per_minute',
  'unavailable',
  // The answer has the wrong form.
  'malformed',
  'refused',
  'unfinished',
  // The words contain something that people must not be shown.
  'hidden_text',
  'injection',
  'secret',
  'particulars',
  // The words say something that the evidence does not show.
  'unfounded_number',
  'unfounded_name',
  'unfounded_command',
  'claim',
  'contradiction',
  'off_topic',
] as const;
export type WordingFailure = (typeof WORDING_FAILURES)[number];
