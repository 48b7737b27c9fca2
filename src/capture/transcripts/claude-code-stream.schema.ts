import { z } from 'zod';

/** A field of the wrong type is treated as missing: the messages change with every version. */
const text = z.string().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);

/** One line of `claude -p --output-format stream-json`. Its message is that of a transcript. */
export const StreamMessage = z.object({
  type: z.string(),
  subtype: text,
  session_id: text,
  uuid: text,
  timestamp: z.iso.datetime({ offset: true }).optional().catch(undefined),
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
  is_api_error_message: z.boolean().optional().catch(undefined),
  api_error_status: z.number().optional().catch(undefined),
  api_error_type: text,
  error: text,
  /** Of the results of calls. */
  tool_result_meta: list,
  /** Of the last line. */
  is_error: z.boolean().optional().catch(undefined),
  result: text,
  permission_denials: list,
});
export type StreamMessage = z.infer<typeof StreamMessage>;

const Denial = z.object({ tool_use_id: z.string() });
const ResultMeta = z.object({ non_execution_kind: z.string() });

/** The ids of the calls that were not permitted. */
export const denialsIn = ({ permission_denials: denials }: StreamMessage): string[] =>
  (denials ?? []).flatMap((denial) => Denial.safeParse(denial).data?.tool_use_id ?? []);

/** Why a call did not run; undefined if it did. */
export const nonExecutionIn = ({ tool_result_meta: meta }: StreamMessage): string | undefined =>
  (meta ?? []).flatMap((one) => ResultMeta.safeParse(one).data?.non_execution_kind ?? [])[0];
