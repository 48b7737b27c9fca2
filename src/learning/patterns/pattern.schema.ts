import { z } from 'zod';

const token = z.string().min(1).max(200);
/** The name of a place; it is shown as `<name>`. */
const place = z
  .string()
  .max(30)
  .regex(/^[a-z][a-z0-9 -]{0,29}$/);

/**
 * One place of a pattern: a token as written, a variable for exactly one token, a variable for any number of tokens, or
 * a variable inside of a token, as in `refs/for/<branch>`.
 */
export const Item = z.union([
  token,
  z.strictObject({ one: place }),
  z.strictObject({ any: place }),
  z.strictObject({ part: place, before: z.string().max(200), after: z.string().max(200) }),
]);
export type Item = Readonly<z.infer<typeof Item>>;

/** What several token lists have in common. Plain data, matched by a walk without regular expressions. */
export const Pattern = z.array(Item).max(400);
export type Pattern = readonly Item[];

/** By the name of a variable: the values that were seen in its place. */
const Values = z.record(place, z.array(z.string().max(400)).max(50));

/** When a lesson applies, and what worked then: one pattern each, with the same variables. */
export const Condition = z.strictObject({
  /** `shell`, or the name of the tool in lower case. */
  tool: z.string().min(1).max(200),
  call: Pattern.min(1),
  error: Pattern,
  /** The call to make first; missing if the call itself is to be changed. */
  step: Pattern.min(1).optional(),
  remedy: Pattern.min(1),
  values: Values,
  /** Variables that stand for the values seen only, because something else overcame the failure with another value. */
  closed: Values,
  /** Words that all errors had. Most of them must be there. */
  said: z.array(z.string().max(61)).max(60),
});
export type Condition = Readonly<z.infer<typeof Condition>>;

const features = z.array(z.string().min(1).max(600)).max(60);

/** A remedy with the conditions under which it worked: what is compared, matched and worded. */
export const LearnedClaim = z.strictObject({
  /** What identifies the remedy: a feature of the tries that worked. */
  key: z.string().min(1).max(700),
  /** A try that has all of these features follows the lesson. */
  follow: features.min(1),
  /** Other remedies of the same failures: a try that follows one of them is none without a remedy. */
  rivals: z.array(features).max(20),
  conditions: z.array(Condition).min(1).max(12),
});
export type LearnedClaim = Readonly<z.infer<typeof LearnedClaim>>;
