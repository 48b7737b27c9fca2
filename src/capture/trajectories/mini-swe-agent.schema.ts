import { z } from 'zod';

/** A field of the wrong type is treated as missing: the format changes with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

/** What the harness adds to a message; the model is not sent it. */
const MiniExtra = z.object({
  actions: list,
  raw_output: text,
  returncode: count,
  exception_info: text,
  interrupt_type: text,
  exit_status: text,
  exception_str: text,
  timestamp: count,
  response: z.object({ model: text, created: count }).optional().catch(undefined),
});

/** A message of the chat, of a tool, or an item of the Responses API. */
export const MiniMessage = z.object({
  role: text,
  type: text,
  content: z.unknown().optional(),
  output: z.unknown().optional(),
  tool_calls: list,
  tool_call_id: text,
  call_id: text,
  extra: MiniExtra.optional().catch(undefined),
});
export type MiniMessage = z.infer<typeof MiniMessage>;

export const MiniAction = z.object({ command: z.string(), tool_call_id: text });

/** A call of the model, for a message without the actions that the harness read from it. */
export const MiniToolCall = z.object({ id: text, function: z.object({ arguments: z.string() }) });

/** A trajectory. Before 1.0 it was the list of messages alone. */
export const MiniTrajectory = z.object({
  messages: z.array(z.unknown()),
  instance_id: text,
  info: z
    .object({
      exit_status: text,
      exception_str: text,
      mini_version: text,
      config: z
        .object({
          model: z.object({ model_name: text }).optional().catch(undefined),
          environment: z.object({ cwd: text, image: text }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type MiniTrajectory = z.infer<typeof MiniTrajectory>;
