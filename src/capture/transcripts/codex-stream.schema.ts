import { z } from 'zod';

/** A field of the wrong type is treated as missing: the events change with every version. */
const text = z.string().optional().catch(undefined);
const message = z.object({ message: text }).optional().catch(undefined);

/** What happened in a turn: a message, a call of a tool, or one that is not read. */
const StreamItem = z.object({
  id: text,
  type: text,
  status: text,
  /** Of a command; with the shell that runs it. */
  command: text,
  aggregated_output: text,
  exit_code: z.number().optional().catch(undefined),
  /** Of a change of files. */
  changes: z
    .array(z.object({ path: text, kind: text }))
    .optional()
    .catch(undefined),
  /** Of a call of an MCP tool, or of one that steers other agents. */
  server: text,
  tool: text,
  arguments: z.unknown().optional(),
  result: z.object({ content: z.unknown().optional() }).optional().catch(undefined),
  error: message,
  prompt: text,
  query: text,
});
export type StreamItem = z.infer<typeof StreamItem>;

/**
 * One line of `codex exec --json`, after `codex-rs/exec/src/exec_events.rs` of openai/codex. No line has a time.
 */
export const StreamEvent = z.object({
  type: z.string(),
  thread_id: text,
  item: StreamItem.optional().catch(undefined),
  error: message,
  message: text,
});
export type StreamEvent = z.infer<typeof StreamEvent>;
