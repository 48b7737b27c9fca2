import { parseJson } from '../../platform/base/parse-json.js';
import { LessonAnswer } from './lesson-answer.schema.js';

/** The longest answer that is read, in UTF-16 code units. A lesson takes about a thousand. */
export const LONGEST_ANSWER = 64 * 1024;

/**
 * Reads what a model answered to a dossier. Undefined if it is too long, no JSON, not of the documented shape, or if it
 * does not hold exactly what it decided: a lesson, or a refusal. Never throws.
 */
export function answerOfText(text: string): LessonAnswer | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const parsed = LessonAnswer.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { decision, lesson, refusal } = parsed.data;
  const isWhole = decision === 'lesson' ? lesson !== null && refusal === null : lesson === null && refusal !== null;
  return isWhole ? parsed.data : undefined;
}
