import { z } from 'zod';
import { count, flag, lenient, list, text } from '../../platform/base/lenient.schema.js';

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
  is_demo: flag,
  tool_calls: list,
});
export type SweMessage = z.infer<typeof SweMessage>;

export const SweToolCall = z.object({ function: z.object({ name: z.string(), arguments: z.unknown().optional() }) });

/** How the run was started; in newer versions as JSON in a text. */
export const SweConfig = z.object({
  agent: lenient(
    z.object({
      model: lenient(z.object({ name: text })),
      agent_configs: lenient(z.array(z.object({ model: lenient(z.object({ name: text })) }))),
    }),
  ),
  problem_statement: lenient(z.object({ id: text, text })),
  env: lenient(z.object({ repo: lenient(z.object({ github_url: text })) })),
});
export type SweConfig = z.infer<typeof SweConfig>;

/** A run, or one of its attempts. A demonstration has a history only. */
export const SweTrajectory = z.object({
  trajectory: list,
  history: list,
  info: lenient(z.object({ exit_status: text, swe_agent_version: text, best_attempt_idx: count })),
  replay_config: z.unknown().optional(),
  attempts: list,
});
export type SweTrajectory = z.infer<typeof SweTrajectory>;
