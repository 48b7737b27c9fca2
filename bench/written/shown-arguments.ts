import type { AnsweredMatcher, LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';

/** The product shows the arguments of a tool other than a shell as JSON, the recorded dossiers their first value alone. */
const FIRST_KEY = '^(\\{"\\w+":")?';
const OF_ARGUMENTS: ReadonlySet<string> = new Set(['args', 'not_args', 'drops', 'adds']);

/** A recorded answer whose patterns for the start of a call also match it as the product shows it. */
export function forShownArguments(answer: LessonAnswer): LessonAnswer {
  if (answer.lesson === null) return answer;
  const { lesson } = answer;
  const { within, start, execution, ...parts } = lesson.predicate;
  const predicate = { within, ...changed(parts), start: changed(start), execution: changed(execution) };
  return { ...answer, lesson: { ...lesson, predicate } };
}

function changed<T extends Readonly<Record<string, readonly AnsweredMatcher[]>>>(parts: T): T {
  const entries = Object.entries(parts).map(([name, matchers]) => [name, matchers.map(anchoredMatcher)]);
  // the same keys, each with the same kind of value
  return Object.fromEntries(entries) as T;
}

const anchoredMatcher = ({ tests }: AnsweredMatcher): AnsweredMatcher => ({
  tests: tests.map(({ test, value }) => ({
    test,
    value: OF_ARGUMENTS.has(test) && value.startsWith('^') ? FIRST_KEY + value.slice(1) : value,
  })),
});
