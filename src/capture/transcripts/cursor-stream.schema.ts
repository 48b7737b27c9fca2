import { z } from 'zod';
import { flag, lenient, text } from '../../platform/base/lenient.schema.js';

/** Milliseconds since 1970. */
const time = lenient(z.number().min(0).max(8.64e15));

/** One line of `cursor-agent -p --output-format stream-json`. */
export const CursorEvent = z.object({
  type: z.string(),
  subtype: text,
  session_id: text,
  /** Not in every line, and not in every version. */
  timestamp_ms: time,
  cwd: text,
  model: text,
  message: lenient(z.object({ content: z.unknown().optional() })),
  call_id: text,
  model_call_id: text,
  /** One field, named after the tool: `{shellToolCall: {args, result}}`. */
  tool_call: lenient(z.record(z.string(), z.unknown())),
  is_error: flag,
  result: text,
});
export type CursorEvent = z.infer<typeof CursorEvent>;

/** What a tool was given and what it answered, by kind of answer: `{success: …}`, `{failure: …}`, `{error: …}`. */
const CursorTool = z.object({
  args: z.unknown().optional(),
  result: lenient(z.record(z.string(), z.unknown())),
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
