import { z } from 'zod';
import { count, lenient, list, text } from '../../platform/base/lenient.schema.js';

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
  response: lenient(z.object({ model: text, created: count })),
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
  extra: lenient(MiniExtra),
});
export type MiniMessage = z.infer<typeof MiniMessage>;

export const MiniAction = z.object({ command: z.string(), tool_call_id: text });

/** A call of the model, for a message without the actions that the harness read from it. */
export const MiniToolCall = z.object({ id: text, function: z.object({ arguments: z.string() }) });

/** A trajectory. Before 1.0 it was the list of messages alone. */
export const MiniTrajectory = z.object({
  messages: z.array(z.unknown()),
  instance_id: text,
  info: lenient(
    z.object({
      exit_status: text,
      exception_str: text,
      mini_version: text,
      config: lenient(
        z.object({
          model: lenient(z.object({ model_name: text })),
          environment: lenient(z.object({ cwd: text, image: text })),
        }),
      ),
    }),
  ),
});
export type MiniTrajectory = z.infer<typeof MiniTrajectory>;
