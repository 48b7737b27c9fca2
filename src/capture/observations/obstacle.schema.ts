import { z } from 'zod';
import { ShownCall } from '../../evidence/calls/shown-call.schema.js';

/**
 * What became of a failure: a later call overcame it, only a call that skips a check did, a later call got past it and
 * nothing that may be advised says why, the same call worked later without a remedy, or nothing worked.
 */
const Outcome = z.enum(['overcome', 'check_skipped', 'passed', 'repeated', 'open']);

/** One kind of failure in the execution, and the calls that show what happened. */
export const Obstacle = z.object({
  outcome: Outcome,
  /** Identifies the failure, and the remedy if there is one, in all executions. */
  failureKey: z.string(),
  remedyKey: z.string().nullable(),
  tool: z.string(),
  /** The program or tool that failed, without its values: `git push`. */
  action: z.string(),
  purpose: z.string(),
  errorClass: z.string(),
  /** How far the call came: it did not start, it did not load, or it ran. */
  stage: z.enum(['start', 'load', 'run']),
  /** How often it failed in this execution. */
  failures: z.int(),
  /** The failed call, its error, the calls in between that made the difference, and the call that worked. */
  failed: ShownCall.optional(),
  errorLine: z.string(),
  between: z.array(ShownCall).max(3),
  worked: ShownCall.optional(),
  /** Other calls with the same goal that failed as well. */
  attempts: z.array(ShownCall).max(3),
});
export type Obstacle = z.infer<typeof Obstacle>;
