import { candidatesOf } from '../candidates/candidates.js';
import type { LessonWriter } from './lesson-writer.js';

/** Writes from the contrasts of calls alone. It needs no model, so that it is always there. */
export const rulesWriter: LessonWriter = {
  name: 'rules',
  question: () => null,
  write: (sample) => ({ candidates: candidatesOf(sample).map((one) => ({ ...one, by: 'rules', words: null })) }),
};
