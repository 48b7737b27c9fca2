import type { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import type { JudgedAnswer } from './judged-answer.js';
import type { WrittenFamily } from './measure-written.js';

/** One answer of a set, and what became of it. */
export interface AnswerOutcome {
  /** The id of a recorded answer, or the fingerprint of the family. */
  readonly id: string;
  readonly title: string;
  /** Of a bad answer, what is bad about it; `own`: the benchmark made it of a good one. */
  readonly hostile?: { readonly label: string; readonly own: boolean };
  /** `no_family`: the product asks nothing about it, or finds no failure that it is about. */
  readonly outcome: JudgedAnswer['outcome'] | 'no_family';
  readonly because: string;
  /** A reviewer would see it, if nothing else about the family says more. */
  readonly isQueued: boolean;
}

/** The answers of a set, and what the model wrote about its families. */
export interface WrittenAnswers {
  readonly outcomes: readonly AnswerOutcome[];
  readonly written: readonly WrittenFamily[];
  /** Families with a question that no answer is given for. */
  readonly unanswered: readonly string[];
}

export function outcomeOf(
  id: string,
  answer: LessonAnswer,
  judged: JudgedAnswer | undefined,
  hostile?: AnswerOutcome['hostile'],
): AnswerOutcome {
  return {
    id,
    title: answer.lesson?.title ?? '',
    ...(hostile ? { hostile } : {}),
    outcome: judged?.outcome ?? 'no_family',
    because: judged?.because ?? 'the product examines no family that it is about',
    isQueued: judged !== undefined && judged.queued.length > 0,
  };
}
