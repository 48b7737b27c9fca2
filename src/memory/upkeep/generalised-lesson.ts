import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { Lesson } from '../store/lesson.schema.js';

/** Removes paths, hosts and addresses of the agent. Returns undefined if no valid lesson is left. */
export function generaliseLesson(lesson: Lesson) {
  const value = generalOf(lesson);
  return Lesson.safeParse(value).success ? value : undefined;
}
