import { z } from 'zod';

/** A field of the wrong type is treated as missing: rollouts have no stable contract and change with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);

const Item = z.object({
  type: text,
  id: text,
  status: text,
  exit_code: count,
  aggregated_output: text,
  duration: z.object({ secs: count, nanos: count }).optional().catch(undefined),
  stderr: text,
  /** What a call was asked to do: a command, or a tool of MCP. */
  command: z.unknown().optional(),
  server: text,
  tool: text,
  arguments: z.unknown().optional(),
  result: z
    .object({ content: z.unknown().optional(), isError: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  error: z.object({ message: text }).optional().catch(undefined),
});
export type RolloutItem = z.infer<typeof Item>;

/** The fields that are read from a line's payload, for every type of line. */
export const RolloutPayload = z.object({
  type: text,
  id: text,
  cwd: text,
  cli_version: text,
  git: z.object({ repository_url: text }).optional().catch(undefined),
  source: z.unknown().optional(),
  model: text,
  role: text,
  content: z.array(z.unknown()).optional().catch(undefined),
  name: text,
  /** The server of a tool of MCP, as `mcp__server`. */
  namespace: text,
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  command: z.unknown().optional(),
  call_id: text,
  output: z.unknown().optional(),
  item: Item.optional().catch(undefined),
  exit_code: count,
  success: z.boolean().optional().catch(undefined),
  aggregated_output: text,
  stderr: text,
  result: z.unknown().optional(),
  reason: text,
  message: text,
  error: z.object({ message: text, codex_error_info: z.unknown().optional() }).optional().catch(undefined),
});
export type RolloutPayload = z.infer<typeof RolloutPayload>;

/** One line of a rollout. */
export const RolloutLine = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  type: z.string(),
  payload: RolloutPayload,
});
export type RolloutLine = z.infer<typeof RolloutLine>;
