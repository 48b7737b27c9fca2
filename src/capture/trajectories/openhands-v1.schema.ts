import { z } from 'zod';

/** A field of the wrong type is treated as missing: the events change with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const Observation = z.object({
  content: z.unknown().optional(),
  is_error: flag,
  exit_code: count,
  timeout: flag,
  metadata: z.object({ exit_code: count, working_dir: text }).optional().catch(undefined),
});

/** The fields that are read from an event, of every kind. */
export const V1Event = z.object({
  kind: z.string(),
  id: text,
  timestamp: text,
  source: text,
  tool_name: text,
  tool_call_id: text,
  tool_call: z.object({ arguments: z.unknown().optional() }).optional().catch(undefined),
  action: z.record(z.string(), z.unknown()).optional().catch(undefined),
  action_id: text,
  llm_response_id: text,
  observation: Observation.optional().catch(undefined),
  rejection_reason: text,
  error: text,
  llm_message: z.object({ content: z.unknown().optional() }).optional().catch(undefined),
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
  agent: z.object({ llm: z.object({ model: text }).optional().catch(undefined) }),
  workspace: z.object({ working_dir: text }).optional().catch(undefined),
  execution_status: text,
});
export type V1State = z.infer<typeof V1State>;

/** The usage of a conversation by the name of its purpose; it names the model. */
export const V1Stats = z.object({
  usage_to_metrics: z.record(z.string(), z.object({ model_name: text })),
});
