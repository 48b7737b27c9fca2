import { z } from 'zod';
import { count, flag, lenient, list, text } from '../../platform/base/lenient.schema.js';

const Item = z.object({
  type: text,
  id: text,
  status: text,
  exit_code: count,
  aggregated_output: text,
  duration: lenient(z.object({ secs: count, nanos: count })),
  stderr: text,
  /** What a call was asked to do: a command, or a tool of MCP. */
  command: z.unknown().optional(),
  server: text,
  tool: text,
  arguments: z.unknown().optional(),
  result: lenient(z.object({ content: z.unknown().optional(), isError: flag })),
  error: lenient(z.object({ message: text })),
});
export type RolloutItem = z.infer<typeof Item>;

/** The fields that are read from a line's payload, for every type of line. */
export const RolloutPayload = z.object({
  type: text,
  id: text,
  /** The session whose history a fork repeats. */
  forked_from_id: text,
  cwd: text,
  cli_version: text,
  git: lenient(z.object({ repository_url: text })),
  source: z.unknown().optional(),
  model: text,
  role: text,
  content: list,
  name: text,
  /** The server of a tool of MCP, as `mcp__server`. */
  namespace: text,
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  command: z.unknown().optional(),
  call_id: text,
  output: z.unknown().optional(),
  item: lenient(Item),
  exit_code: count,
  success: flag,
  aggregated_output: text,
  stderr: text,
  result: z.unknown().optional(),
  reason: text,
  message: text,
  error: lenient(z.object({ message: text, codex_error_info: z.unknown().optional() })),
});
export type RolloutPayload = z.infer<typeof RolloutPayload>;

/** One line of a rollout. */
export const RolloutLine = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  type: z.string(),
  payload: RolloutPayload,
});
export type RolloutLine = z.infer<typeof RolloutLine>;
