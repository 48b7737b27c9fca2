import { z } from 'zod';
import { count, flag, lenient, list, text } from '../../platform/base/lenient.schema.js';

const Observation = z.object({
  content: z.unknown().optional(),
  is_error: flag,
  exit_code: count,
  timeout: flag,
  metadata: lenient(z.object({ exit_code: count, working_dir: text })),
});

/** The fields that are read from an event, of every kind. */
export const V1Event = z.object({
  kind: z.string(),
  id: text,
  timestamp: text,
  source: text,
  tool_name: text,
  tool_call_id: text,
  tool_call: lenient(z.object({ arguments: z.unknown().optional() })),
  action: lenient(z.record(z.string(), z.unknown())),
  action_id: text,
  llm_response_id: text,
  observation: lenient(Observation),
  rejection_reason: text,
  error: text,
  llm_message: lenient(z.object({ content: z.unknown().optional() })),
  activated_skills: list,
  code: text,
  detail: text,
  key: text,
  value: z.unknown().optional(),
  /** Of a call that an agent behind the Agent Client Protocol made. */
  title: text,
  status: text,
  tool_kind: text,
  raw_input: z.unknown().optional(),
  raw_output: z.unknown().optional(),
  is_error: flag,
});
export type V1Event = z.infer<typeof V1Event>;

/** `base_state.json` of a conversation, or what an update of the whole state holds. */
export const V1State = z.object({
  id: text,
  agent: z.object({ llm: lenient(z.object({ model: text })) }),
  workspace: lenient(z.object({ working_dir: text })),
  execution_status: text,
});
export type V1State = z.infer<typeof V1State>;

/** The usage of a conversation by the name of its purpose; it names the model. */
export const V1Stats = z.object({
  usage_to_metrics: z.record(z.string(), z.object({ model_name: text })),
});
