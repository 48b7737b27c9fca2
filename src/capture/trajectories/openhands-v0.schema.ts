import { z } from 'zod';

/** A field of the wrong type is treated as missing: the events change with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** The reply of the model that an action was read from. */
const CallMetadata = z.object({
  function_name: text,
  tool_call_id: text,
  model_response: z
    .object({
      id: text,
      model: text,
      choices: z
        .array(z.object({ message: z.object({ tool_calls: list }).optional().catch(undefined) }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** An action or an observation. An observation names its action in `cause`. */
export const V0Event = z.object({
  id: z.number().optional().catch(undefined),
  timestamp: text,
  source: text,
  action: text,
  observation: text,
  cause: count,
  message: text,
  content: text,
  args: z.record(z.string(), z.unknown()).optional().catch(undefined),
  extras: z
    .object({
      exit_code: count,
      agent_state: text,
      reason: text,
      metadata: z.object({ exit_code: count, working_dir: text }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  success: flag,
  tool_call_metadata: CallMetadata.optional().catch(undefined),
});
export type V0Event = z.infer<typeof V0Event>;

export const V0ToolCall = z.object({
  id: text,
  function: z.object({ name: text, arguments: z.unknown().optional() }),
});

const Report = z.object({ resolved: flag }).optional().catch(undefined);

/** One line of `output.jsonl`: the run of an evaluation on one instance. */
export const V0Row = z.object({
  instance_id: z.union([z.string(), z.number()]).transform(String),
  history: z.array(z.unknown()),
  error: text,
  resolved: flag,
  report: Report,
  test_result: z.object({ report: Report, resolved: flag }).optional().catch(undefined),
  metadata: z
    .object({ llm_config: z.object({ model: text }).optional().catch(undefined), agent_class: text })
    .optional()
    .catch(undefined),
});
export type V0Row = z.infer<typeof V0Row>;
