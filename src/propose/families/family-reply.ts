import { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import type { ModelAnswer } from '../model/model-question.js';

export type FamilyOutcome = 'written' | 'declined' | 'rewritten' | 'malformed' | 'refused' | 'unfinished';

export interface FamilyReply {
  readonly outcome: FamilyOutcome;
  /** Null if there is nothing that can be read. */
  readonly answer: LessonAnswer | null;
}

type Answered = Exclude<ModelAnswer<LessonAnswer>, { readonly outcome: 'unavailable' }>;

/** Reads what a model answered to a dossier, redacted. Never throws for anything that it answers. */
export function readReply(answered: Answered): FamilyReply {
  if (answered.outcome === 'none') return { outcome: answered.reason, answer: null };
  const read = LessonAnswer.safeParse(redactDeep(storable(answered.value)).value);
  if (!read.success) return { outcome: 'malformed', answer: null };
  const { decision, lesson, refusal } = read.data;
  if (decision === 'lesson' && lesson && !refusal) return { outcome: 'written', answer: read.data };
  if (decision === 'no_lesson' && refusal && !lesson) return { outcome: 'declined', answer: read.data };
  return { outcome: 'malformed', answer: null };
}

/**
 * Reads another predicate for the lesson of `earlier`. Its predicate, its example and its quotes replace those of the
 * lesson, and every other text stays. Without a new one the lesson stays as it was.
 */
export function readRewrite(answered: Answered, earlier: LessonAnswer): FamilyReply {
  const { outcome, answer } = readReply(answered);
  if (!answer?.lesson || !earlier.lesson) return { outcome, answer: earlier };
  const { predicate, example, quotes } = answer.lesson;
  return { outcome: 'rewritten', answer: { ...earlier, lesson: { ...earlier.lesson, predicate, example, quotes } } };
}

/** The databases hold neither NUL nor half a character. */
export const storable = <T>(value: T): T =>
  mapStrings(value, (text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, ''));
