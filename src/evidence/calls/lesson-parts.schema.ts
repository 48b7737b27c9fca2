import { z } from 'zod';
import { ShownCall } from './shown-call.schema.js';

const line = (max: number) => z.string().trim().min(1).max(max);

/** One fact that the evidence shares, such as `python` with the value `2.7.3` or `harness` with `claude-code`. */
export const EnvironmentFact = z.strictObject({ name: line(40), value: line(80) });
export type EnvironmentFact = Readonly<z.infer<typeof EnvironmentFact>>;

/** One real case: a call that failed, its decisive error line, and the call that worked. */
export const LessonExample = z.strictObject({
  failed: ShownCall,
  error: line(300),
  /** The successful calls that made the difference, such as a look-up, an installation or an edit. */
  between: z.array(ShownCall).max(3),
  /** Null if nothing worked, which only a private lesson may say. */
  worked: ShownCall.nullable(),
});
export type LessonExample = Readonly<z.infer<typeof LessonExample>>;

/** The parts of a lesson that show what happened. Each is left out if the evidence does not hold it. */
export const LESSON_PARTS = {
  /** Why it failed: what the evidence shows, or what the proposer concludes from it. */
  cause: line(600).optional(),
  environment: z.array(EnvironmentFact).max(8).optional(),
  example: LessonExample.optional(),
} as const;

/** A call that failed beside the one that worked after it, with their places in their execution. */
export const CallPair = z.strictObject({
  executionId: z.guid(),
  failedAt: z.int().min(0),
  workedAt: z.int().min(0),
  failed: ShownCall,
  /** The decisive line of the error; empty if it may not be shown. */
  error: z.string().max(300),
  between: z.array(ShownCall).max(3),
  worked: ShownCall,
});
export type CallPair = Readonly<z.infer<typeof CallPair>>;

/** The observed calls that a proposal rests on. A recommended command must be an instance of one that worked. */
export const ObservedCalls = z.strictObject({
  worked: z.array(ShownCall).max(40),
  failed: z.array(ShownCall).max(40),
});
export type ObservedCalls = Readonly<z.infer<typeof ObservedCalls>>;
