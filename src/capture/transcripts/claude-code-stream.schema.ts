import { z } from 'zod';
import { count, flag, lenient, list, readable, text } from '../../platform/base/lenient.schema.js';

/** One line of `claude -p --output-format stream-json`. Its message is that of a transcript. */
export const StreamMessage = z.object({
  type: z.string(),
  subtype: text,
  session_id: text,
  uuid: text,
  timestamp: lenient(z.iso.datetime({ offset: true })),
  message: z.unknown().optional(),
  /** For a sub-agent: the call that started it, and in newer versions its id. */
  parent_tool_use_id: text,
  agent_id: text,
  /** Of the first line. */
  cwd: text,
  model: text,
  claude_code_version: text,
  skills: list,
  /** Of an answer that is an API error, and of the last line. */
  is_api_error_message: flag,
  api_error_status: count,
  api_error_type: text,
  error: text,
  /** Of the results of calls. */
  tool_result_meta: list,
  /** Of the last line. */
  is_error: flag,
  result: text,
  permission_denials: list,
});
export type StreamMessage = z.infer<typeof StreamMessage>;

const Denial = z.object({ tool_use_id: z.string(), tool_input: z.unknown().optional() });
type Denial = z.infer<typeof Denial>;
const ResultMeta = z.object({ non_execution_kind: z.string() });

/** The calls that were not permitted. */
export const denialsIn = ({ permission_denials: denials }: StreamMessage): Denial[] => readable(denials, Denial);

/** Why a call did not run; undefined if it did. */
export const nonExecutionIn = ({ tool_result_meta: meta }: StreamMessage): string | undefined =>
  readable(meta, ResultMeta)[0]?.non_execution_kind;
