import { z } from 'zod';

const line = (max: number) => z.string().trim().min(1).max(max);

/**
 * The words that a model may find for a proposal: what people read to understand it. What is compared, tested and done
 * (condition, action, steps), its name, tags and every figure are not in it, so that a model cannot set them.
 */
export const ModelWords = z.strictObject({
  title: line(120),
  discovery: line(600),
  /** Why the action helps; it stands before the figures. */
  why: line(600),
  notes: z.array(line(300)).max(3),
});
export type ModelWords = z.infer<typeof ModelWords>;

/** Why the words are those of the rules, where a model might have found others. */
export const WORDING_FAILURES = [
  // It was not asked, or did not answer.
  'over_budget',
  'calls_per_minute',
  'unavailable',
  // What it answered is no form of words.
  'malformed',
  'refused',
  'unfinished',
  // It holds what no text that people are to read may hold.
  'hidden_text',
  'injection',
  'secret',
  'particulars',
  // It says what the evidence does not.
  'unfounded_number',
  'unfounded_name',
  'unfounded_command',
  'claim',
  'contradiction',
  'off_topic',
] as const;
export type WordingFailure = (typeof WORDING_FAILURES)[number];
