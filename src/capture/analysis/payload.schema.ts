import { z } from 'zod';
import { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { EnvironmentFact } from '../../evidence/parts/lesson-parts.schema.js';

const Call = z.object({
  /** `shell`, or the tool's name. */
  tool: z.string(),
  /** The call as a lesson may show it. Missing if it is too long, or if it reads like instructions. */
  call: z.string().optional(),
  /** What the call is for, such as `test` or `file:read`. */
  purpose: z.string(),
  ok: z.boolean(),
  /** False if the harness refused the call. */
  ran: z.boolean().optional(),
  /** True for a call that only skips a check, such as `git commit --no-verify`. It is recommended to no one. */
  skipsCheck: z.boolean().optional(),
  errorCategory: z.string().optional(),
  /** The line of the error that says why the call failed. */
  errorLine: z.string().optional(),
});

/**
 * What became of a failure: a later call overcame it, only a call that skips a check did, a later call got past it and
 * nothing that may be advised says why, the same call worked later without a remedy, or nothing worked.
 */
const Outcome = z.enum(['overcome', 'check_skipped', 'passed', 'repeated', 'open']);

/** One kind of failure in the execution, and the calls that show what happened. */
const Obstacle = z.object({
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

/**
 * What a proposer receives about one execution: never a conversation, a prompt or the output of a tool. No text holds an
 * address, a host, an e-mail address or a home folder.
 */
export const AnalysisPayload = z.object({
  kind: z.enum(['failure', 'success']),
  task: z.object({ title: z.string(), description: z.string().optional(), type: z.string().optional() }),
  environment: z.array(EnvironmentFact),
  status: z.enum(['completed', 'failed', 'aborted']),
  terminationReason: z.string(),
  errorCategory: z.string().optional(),
  errorMessage: z.string().optional(),
  missingCapability: z.string().optional(),
  calls: z.array(Call),
  /** Number of calls omitted from a long execution. */
  omittedCalls: z.int(),
  obstacles: z.array(Obstacle),
  turnCount: z.int().optional(),
  retryCount: z.int(),
});
export type AnalysisPayload = z.infer<typeof AnalysisPayload>;
