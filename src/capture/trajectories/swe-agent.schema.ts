import { z } from 'zod';

/** A field of the wrong type is treated as missing: the format changes with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

/** One action with what it printed. Replies that the harness refused are steps too, in versions from 1.0. */
export const SweStep = z.object({
  action: z.string(),
  observation: text,
  response: text,
  execution_time: count,
  state: z.unknown().optional(),
  /** The messages that the model was sent for this step. */
  query: list,
});
export type SweStep = z.infer<typeof SweStep>;

export const SweMessage = z.object({
  role: text,
  content: z.unknown().optional(),
  action: text,
  is_demo: z.boolean().optional().catch(undefined),
  tool_calls: list,
});
export type SweMessage = z.infer<typeof SweMessage>;

export const SweToolCall = z.object({ function: z.object({ name: z.string(), arguments: z.unknown().optional() }) });

/** How the run was started; in newer versions as JSON in a text. */
export const SweConfig = z.object({
  agent: z
    .object({
      model: z.object({ name: text }).optional().catch(undefined),
      agent_configs: z
        .array(z.object({ model: z.object({ name: text }).optional().catch(undefined) }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  problem_statement: z.object({ id: text, text }).optional().catch(undefined),
  env: z
    .object({ repo: z.object({ github_url: text }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type SweConfig = z.infer<typeof SweConfig>;

/** A run, or one of its attempts. A demonstration has a history only. */
export const SweTrajectory = z.object({
  trajectory: list,
  history: list,
  info: z.object({ exit_status: text, swe_agent_version: text, best_attempt_idx: count }).optional().catch(undefined),
  replay_config: z.unknown().optional(),
  attempts: list,
});
export type SweTrajectory = z.infer<typeof SweTrajectory>;
