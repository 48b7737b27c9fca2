import { z } from 'zod';

/** Why a writer declines a family. */
export const REFUSAL_KINDS = [
  'duplicate',
  'noise',
  'measurement',
  'heterogeneous',
  'unsolvable',
  'confounded',
  'not_an_error',
  'changes_the_request',
  'environment_state',
  'single_task',
  'policy',
] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

/** One test of one call. `pattern`: what the value of the test is. */
export const ANSWERED_TESTS = {
  tool: 'pattern',
  not_tool: 'pattern',
  action: 'text',
  not_action: 'text',
  args: 'pattern',
  not_args: 'pattern',
  error: 'pattern',
  drops: 'pattern',
  adds: 'pattern',
  error_value_in_args: 'pattern',
  error_value_not_in_args: 'pattern',
  sum_amounts_equals_error: 'pattern',
  ok: 'yes or no',
  same_action: 'yes or no',
  same_tool: 'yes or no',
  same_args: 'yes or no',
} as const;
export type AnsweredTest = keyof typeof ANSWERED_TESTS;

const text = (max: number) => z.string().max(max);
/** Tests of one call, all of which must hold. A list instead of optional fields: providers limit those. */
const matcher = z.strictObject({
  tests: z
    .array(z.strictObject({ test: z.enum(Object.keys(ANSWERED_TESTS) as [AnsweredTest]), value: text(400) }))
    .max(12),
});
/** Any of them; empty if the part is absent. */
const matchers = z.array(matcher).max(8);
export type AnsweredMatcher = Readonly<z.infer<typeof matcher>>;

/** The predicate as a model writes it; `predicateOfAnswer` reads it. */
export const AnsweredPredicate = z.strictObject({
  when: matchers,
  follow: matchers,
  attempt: matchers,
  against: matchers,
  within: z.int(),
  start: z.strictObject({ action: matchers, form: matchers, prior: matchers }),
  execution: z.strictObject({ first: matchers, before: matchers, after: matchers, did: matchers }),
  covers: matchers,
});
export type AnsweredPredicate = Readonly<z.infer<typeof AnsweredPredicate>>;

/** A lesson as a model writes it about a dossier. Every field is required; an empty string or list says nothing. */
export const AnsweredLesson = z.strictObject({
  title: text(200),
  condition: text(1_000),
  /** Empty if the dossier does not show it. */
  cause: text(1_000),
  steps: z.array(text(1_000)).max(12),
  gotchas: z.array(text(1_000)).max(8),
  /** The example of the dossier that shows it, from 1, and its later call that worked, from 1; 0 if none does. */
  example: z.strictObject({ number: z.int(), worked: z.int() }),
  /** Where it holds; empty texts if it is general. */
  binding: z.strictObject({
    harness: text(120),
    project: text(200),
    environment: text(200),
    tools: z.array(text(120)).max(8),
  }),
  predicate: AnsweredPredicate,
  /** Verbatim in the dossier. */
  quotes: z.array(text(600)).max(8),
  confidence: z.enum(['low', 'medium', 'high']),
});
export type AnsweredLesson = Readonly<z.infer<typeof AnsweredLesson>>;

/**
 * What a model answers to a dossier: a lesson, or a refusal with its kind. It is the schema of the structured output and
 * of the recorded answers; exactly one of both is set, which `answerOfText` enforces.
 */
export const LessonAnswer = z.strictObject({
  decision: z.enum(['lesson', 'no_lesson']),
  lesson: AnsweredLesson.nullable(),
  refusal: z.strictObject({ kind: z.enum(REFUSAL_KINDS), reason: text(600) }).nullable(),
});
export type LessonAnswer = Readonly<z.infer<typeof LessonAnswer>>;
