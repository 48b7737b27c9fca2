import { z } from 'zod';

const text = z.string().nullish();
const label = z.union([z.string(), z.number()]);

/** One call of a run. */
export const RunStep = z.looseObject({
  tool: z.string().trim().min(1),
  /** A text, an object, or a text that holds JSON. */
  args: z.unknown().optional(),
  /** Unknown if it is missing. */
  ok: z.boolean().nullish(),
  error: text,
  obs: z.unknown().optional(),
  result_tail: z.unknown().optional(),
  /** The reply of the model that asked for the call; calls of one reply share it. */
  reply: label.nullish(),
});
export type RunStep = z.infer<typeof RunStep>;

/** How a run ended, where its record says so. */
export const RUN_ENDS = ['finished', 'interrupted', 'limit', 'error'] as const;

/** One execution in the documented form, with every spelling of its fields. Unlike a transcript, it is written for us. */
export const RunRow = z
  .looseObject({
    id: label,
    agent_id: label,
    task_id: label.nullish(),
    task: text,
    repo: text,
    project: text,
    harness: text,
    config: text,
    model: text,
    started_at: text,
    ended_at: text,
    turns: z.number().nullish(),
    tool_calls: z.array(RunStep).nullish(),
    steps: z.array(RunStep).nullish(),
    success: z.boolean().nullish(),
    resolved: z.boolean().nullish(),
    reward: z.number().nullish(),
    max_reward: z.number().nullish(),
    end: z.enum(RUN_ENDS).nullish(),
    /** The message of the error that ended the run. */
    error: text,
  })
  .refine((row) => Array.isArray(row.tool_calls ?? row.steps), {
    path: ['tool_calls'],
    error: 'is missing, and so is steps',
  });
export type RunRow = z.infer<typeof RunRow>;
