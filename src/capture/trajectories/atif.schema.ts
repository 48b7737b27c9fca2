import { z } from 'zod';

const text = z.string().optional().catch(undefined);
const instant = z.iso.datetime({ offset: true }).optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

export const AtifToolCall = z.object({
  tool_call_id: text,
  function_name: z.string(),
  arguments: z.unknown().optional(),
});

export const AtifResult = z.object({
  source_call_id: text,
  content: z.unknown().optional(),
  extra: z
    .object({
      exit_code: z.number().optional().catch(undefined),
      is_error: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export const AtifStep = z.object({
  timestamp: instant,
  source: text,
  message: z.unknown().optional(),
  model_name: text,
  tool_calls: list,
  observation: z.object({ results: list }).optional().catch(undefined),
});
export type AtifStep = z.infer<typeof AtifStep>;

/** An agent trajectory in ATIF. Parsed leniently. */
export const AtifTrajectory = z.object({
  schema_version: z.string().regex(/^ATIF-v/),
  session_id: text,
  trajectory_id: text,
  agent: z.object({ name: text, version: text, model_name: text }).optional().catch(undefined),
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
  agent_info: z
    .object({ name: text, version: text, model_info: z.object({ name: text }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  verifier_result: z
    .object({ rewards: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .nullish()
    .catch(undefined),
  exception_info: z.object({ exception_type: text, exception_message: text }).nullish().catch(undefined),
});
export type HarborResult = z.infer<typeof HarborResult>;
