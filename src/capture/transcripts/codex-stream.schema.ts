import { z } from 'zod';
import { count, lenient, text } from '../../platform/base/lenient.schema.js';

const message = lenient(z.object({ message: text }));

/** What happened in a turn: a message, a call of a tool, or one that is not read. */
const StreamItem = z.object({
  id: text,
  type: text,
  status: text,
  /** Of a command; with the shell that runs it. */
  command: text,
  aggregated_output: text,
  exit_code: count,
  /** Of a change of files. */
  changes: lenient(z.array(z.object({ path: text, kind: text }))),
  /** Of a call of an MCP tool, or of one that steers other agents. */
  server: text,
  tool: text,
  arguments: z.unknown().optional(),
  result: lenient(z.object({ content: z.unknown().optional() })),
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
  item: lenient(StreamItem),
  error: message,
  message: text,
});
export type StreamEvent = z.infer<typeof StreamEvent>;
