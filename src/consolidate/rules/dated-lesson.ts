import { Lesson } from '../../memory/store/lesson.schema.js';
import { type ReplacedDate, withAbsoluteDates } from './relative-dates.js';

export interface DatedLesson {
  readonly lesson: Lesson;
  readonly replaced: readonly ReplacedDate[];
}

/** The lesson with absolute dates in its sentences. It stays as it is if a sentence would become too long. */
export function datedLesson(lesson: Lesson, writtenAt: Date): DatedLesson {
  const replaced: ReplacedDate[] = [];
  const dated = (text: string): string => {
    const { text: absolute, replaced: here } = withAbsoluteDates(text, writtenAt);
    replaced.push(...here);
    return absolute;
  };
  const { condition, action, rationale } = lesson.activation;
  const result: Lesson = {
    ...lesson,
    discovery: dated(lesson.discovery),
    activation: { condition: dated(condition), action: dated(action), rationale: dated(rationale) },
    steps: lesson.steps.map(dated),
    ...(lesson.cause === undefined ? {} : { cause: dated(lesson.cause) }),
  };
  return replaced.length > 0 && Lesson.safeParse(result).success
    ? { lesson: result, replaced }
    : { lesson, replaced: [] };
}
