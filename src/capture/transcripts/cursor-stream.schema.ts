import { z } from 'zod';

/** A field of the wrong type is treated as missing: fields may be added and changed over time. */
const text = z.string().optional().catch(undefined);

/** Milliseconds since 1970. */
const time = z.number().min(0).max(8.64e15).optional().catch(undefined);

/** One line of `cursor-agent -p --output-format stream-json`. */
export const CursorEvent = z.object({
  type: z.string(),
  subtype: text,
  session_id: text,
  /** Not in every line, and not in every version. */
  timestamp_ms: time,
  cwd: text,
  model: text,
  message: z.object({ content: z.unknown().optional() }).optional().catch(undefined),
  call_id: text,
  model_call_id: text,
  /** One field, named after the tool: `{shellToolCall: {args, result}}`. */
  tool_call: z.record(z.string(), z.unknown()).optional().catch(undefined),
  is_error: z.boolean().optional().catch(undefined),
  result: text,
});
export type CursorEvent = z.infer<typeof CursorEvent>;

/** What a tool was given and what it answered, by kind of answer: `{success: …}`, `{failure: …}`, `{error: …}`. */
const CursorTool = z.object({
  args: z.unknown().optional(),
  result: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Of tools without a field of their own. `arguments` is JSON. */
  name: text,
  arguments: text,
});
export type CursorTool = z.infer<typeof CursorTool>;

const SUFFIX = 'ToolCall';

/** The tool of an event with its name, as Cursor has it without `ToolCall`. */
export function toolIn({ tool_call: call }: CursorEvent): (CursorTool & { readonly tool: string }) | undefined {
  for (const [key, value] of Object.entries(call ?? {})) {
    const { data } = CursorTool.safeParse(value);
    if (data === undefined) continue;
    if (key.endsWith(SUFFIX) && key !== SUFFIX) return { ...data, tool: key.slice(0, -SUFFIX.length) };
    if (key === 'function') return { ...data, tool: data.name ?? 'unnamed' };
  }
  return undefined;
}
