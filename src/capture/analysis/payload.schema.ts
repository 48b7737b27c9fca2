import { z } from 'zod';

const Call = z.object({
  name: z.string(),
  action: z.string(),
  ok: z.boolean(),
  errorCategory: z.string().optional(),
  errorMessage: z.string().optional(),
});

/** One kind of failure in the execution, and the action that overcame it. */
const Obstacle = z.object({
  action: z.string(),
  errorClass: z.string(),
  error: z.string(),
  failures: z.int(),
  /** The action that worked next; null if none did. */
  remedy: z.string().nullable(),
  how: z.enum(['replace', 'omit', 'prepare', 'relocate']).nullable(),
  /** The tool, and how often the remedy was tried and worked. Missing in older payloads. */
  tool: z.string().optional(),
  tried: z.int().optional(),
  worked: z.int().optional(),
  /**
   * The same failure in earlier executions of the same agent: how many, and how often the remedy was tried and worked
   * there.
   */
  earlier: z.object({ executions: z.int(), tried: z.int(), worked: z.int() }).optional(),
});
export type Obstacle = z.infer<typeof Obstacle>;

/** What a proposer receives about one execution: never a conversation, a prompt or the output of a tool. */
export const AnalysisPayload = z.object({
  kind: z.enum(['failure', 'success']),
  task: z.object({ title: z.string(), description: z.string().optional(), type: z.string().optional() }),
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
