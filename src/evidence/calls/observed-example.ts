import type { LessonExample } from './lesson-parts.schema.js';
import { isObserved, type SeenCalls } from './observed-spans.js';

/** Returns whether the example shows calls as they were observed: one that failed, and others that worked. */
export function isExampleObserved({ failed, between, worked }: LessonExample, calls: SeenCalls): boolean {
  return (
    isObserved(failed, calls.failed) &&
    [...between, ...(worked ? [worked] : [])].every((call) => isObserved(call, calls.worked))
  );
}
