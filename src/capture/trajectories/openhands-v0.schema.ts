import { z } from 'zod';
import { count, flag, lenient, list, text } from '../../platform/base/lenient.schema.js';

/** The reply of the model that an action was read from. */
const CallMetadata = z.object({
  function_name: text,
  tool_call_id: text,
  model_response: lenient(
    z.object({
      id: text,
      model: text,
      choices: lenient(z.array(z.object({ message: lenient(z.object({ tool_calls: list })) }))),
    }),
  ),
});

/** An action or an observation. An observation names its action in `cause`. */
export const V0Event = z.object({
  id: count,
  timestamp: text,
  source: text,
  action: text,
  observation: text,
  cause: count,
  message: text,
  content: text,
  args: lenient(z.record(z.string(), z.unknown())),
  extras: lenient(
    z.object({
      exit_code: count,
      agent_state: text,
      reason: text,
      metadata: lenient(z.object({ exit_code: count, working_dir: text })),
    }),
  ),
  success: flag,
  tool_call_metadata: lenient(CallMetadata),
});
export type V0Event = z.infer<typeof V0Event>;

export const V0ToolCall = z.object({
  id: text,
  function: z.object({ name: text, arguments: z.unknown().optional() }),
});

const Report = lenient(z.object({ resolved: flag }));

/** One line of `output.jsonl`: the run of an evaluation on one instance. */
export const V0Row = z.object({
  instance_id: z.union([z.string(), z.number()]).transform(String),
  history: z.array(z.unknown()),
  error: text,
  resolved: flag,
  report: Report,
  test_result: lenient(z.object({ report: Report, resolved: flag })),
  metadata: lenient(z.object({ llm_config: lenient(z.object({ model: text })), agent_class: text })),
});
export type V0Row = z.infer<typeof V0Row>;
