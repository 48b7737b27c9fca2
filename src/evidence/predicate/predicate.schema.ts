import { z } from 'zod';
import { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { hasGroup, LONGEST_PATTERN, patternProblem } from './pattern.js';

/** A regular expression for a linear-time engine: without case, `.` also matches line breaks, no back references. */
const pattern = z
  .string()
  .min(1)
  .max(LONGEST_PATTERN)
  .superRefine((source, context) => {
    if (source === '' || source.length > LONGEST_PATTERN) return;
    const problem = patternProblem(source);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: `The pattern ${problem}.` });
  });
/** A pattern whose first group finds a value in an error. */
const valuePattern = pattern.superRefine((source, context) => {
  if (patternProblem(source) === undefined && !hasGroup(source))
    context.addIssue({ code: 'custom', message: 'The pattern has no group for the value.' });
});
const name = z.string().trim().min(1).max(120);

/**
 * Tests of one call, all of which must hold. `sameAction` and below compare it with the failed call, and hold for no
 * call where there is none.
 */
export const Matcher = z.strictObject({
  /** The whole name of the tool, without case; alternatives are separated by `|`. */
  tool: pattern.optional(),
  notTool: pattern.optional(),
  /** A normalised action that is part of the call, coarse or fine: `python3`, `git push`, `cd`, `sql select`. */
  action: name.optional(),
  notAction: name.optional(),
  /** Anywhere in the text of the call. */
  args: pattern.optional(),
  notArgs: pattern.optional(),
  /** The call failed, and its decisive error line matches. */
  error: pattern.optional(),
  ok: z.boolean().optional(),
  /** The same goal behind `cd …` and wrappers; `python` and `python3` are one. */
  sameAction: z.boolean().optional(),
  sameTool: z.boolean().optional(),
  sameArgs: z.boolean().optional(),
  /** In the failed call and not in this one; `adds`: the other way round. */
  drops: pattern.optional(),
  adds: pattern.optional(),
  /** The first group, found in the error of the failed call, is in the text of this one, or is not. */
  errorValueInArgs: valuePattern.optional(),
  errorValueNotInArgs: valuePattern.optional(),
  /** The `amount` arguments add up to the first group, found in the error. */
  sumAmountsEqualsError: valuePattern.optional(),
});
export type Matcher = Readonly<z.infer<typeof Matcher>>;

/** Any of them. */
const matchers = z.union([Matcher, z.array(Matcher).min(1).max(8)]);
export type Matchers = Readonly<z.infer<typeof matchers>>;

export const matcherList = (any: Matchers | undefined): readonly Matcher[] => {
  if (any === undefined) return [];
  // Array.isArray does not narrow a readonly array
  return Array.isArray(any) ? (any as readonly Matcher[]) : [any as Matcher];
};

/**
 * What a lesson claims, so that executions can be counted for and against it (design of `when`, `follow` and the arms:
 * docs/decisions, decision 23).
 */
export const Predicate = z
  .strictObject({
    /** What the learning core found: it says all of the following by itself, and stands alone. */
    learned: LearnedClaim.optional(),
    /** The failed call that the lesson is about. */
    when: matchers.optional(),
    /** The call that does what the lesson says. */
    follow: matchers.optional(),
    /** The call whose result counts; without it the call that follows. */
    attempt: matchers.optional(),
    /** A try that does not follow; without it one of the same action. */
    against: matchers.optional(),
    /** How many calls after the failure are examined. */
    within: z.int().min(1).max(20).optional(),
    /** The first call of the action in the taught form, or after the prior call, against the first one without. */
    start: z.strictObject({ action: matchers, form: matchers.optional(), prior: matchers.optional() }).optional(),
    /** Of proposals before whole runs were removed: executions that did it against the others, by their judged outcome. */
    execution: z
      .strictObject({
        where: matchers.optional(),
        first: matchers.optional(),
        before: matchers.optional(),
        after: matchers.optional(),
        did: matchers.optional(),
      })
      .optional(),
    /** The failures that a lesson without `when` prevents. */
    covers: matchers.optional(),
  })
  .meta({ id: 'Predicate' });
export type Predicate = Readonly<z.infer<typeof Predicate>>;
