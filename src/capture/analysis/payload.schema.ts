import { z } from 'zod';
import { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { Obstacle } from '../observations/obstacle.schema.js';

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
