import { z } from 'zod';
import { count, flag, lenient, list, text } from '../../platform/base/lenient.schema.js';

const instant = lenient(z.iso.datetime({ offset: true }));

export const AtifToolCall = z.object({
  tool_call_id: text,
  function_name: z.string(),
  arguments: z.unknown().optional(),
});

export const AtifResult = z.object({
  source_call_id: text,
  content: z.unknown().optional(),
  extra: lenient(
    z.object({
      exit_code: count,
      is_error: flag,
    }),
  ),
});

export const AtifStep = z.object({
  timestamp: instant,
  source: text,
  message: z.unknown().optional(),
  model_name: text,
  tool_calls: list,
  observation: lenient(z.object({ results: list })),
});
export type AtifStep = z.infer<typeof AtifStep>;

/** An agent trajectory in ATIF. Parsed leniently. */
export const AtifTrajectory = z.object({
  schema_version: z.string().regex(/^ATIF-v/),
  session_id: text,
  trajectory_id: text,
  agent: lenient(z.object({ name: text, version: text, model_name: text })),
  steps: z.array(z.unknown()),
  subagent_trajectories: list,
});
export type AtifTrajectory = z.infer<typeof AtifTrajectory>;

/** Harbor's result of a trial, in a file beside its trajectory. It is the only format with a verified reward. */
export const HarborResult = z.object({
  trial_name: z.string(),
  task_name: text,
  started_at: instant,
  finished_at: instant,
  agent_info: lenient(z.object({ name: text, version: text, model_info: lenient(z.object({ name: text })) })),
  verifier_result: z
    .object({ rewards: lenient(z.record(z.string(), z.unknown())) })
    .nullish()
    .catch(undefined),
  exception_info: z.object({ exception_type: text, exception_message: text }).nullish().catch(undefined),
});
export type HarborResult = z.infer<typeof HarborResult>;
