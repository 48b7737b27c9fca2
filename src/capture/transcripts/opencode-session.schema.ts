import { z } from 'zod';

/** A field of the wrong type is treated as missing: the documents change with every version. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);

/** Milliseconds since 1970. */
const time = z.number().min(0).max(8.64e15).optional().catch(undefined);

/** A part of a message: a text, a tool call, or one that is not read. */
export const OpenCodePart = z.object({
  type: text,
  text,
  /** Set on a text that a program added. */
  synthetic: z.boolean().optional().catch(undefined),
  tool: text,
  callID: text,
  state: z
    .object({
      status: text,
      input: z.unknown().optional(),
      output: text,
      error: text,
      metadata: z.object({ exit: count, output: text }).optional().catch(undefined),
      time: z.object({ start: time, end: time }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type OpenCodePart = z.infer<typeof OpenCodePart>;

export const OpenCodeMessage = z.object({
  info: z.object({
    id: z.string(),
    sessionID: text,
    role: text,
    modelID: text,
    finish: text,
    path: z.object({ cwd: text }).optional().catch(undefined),
    time: z.object({ created: time, completed: time }).optional().catch(undefined),
    error: z
      .object({ name: text, data: z.object({ message: text, statusCode: count }).optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
  parts: z.array(z.unknown()).catch([]),
});
export type OpenCodeMessage = z.infer<typeof OpenCodeMessage>;

/** A session with its messages, as `opencode export` prints it and the plugin's client gives it, at times without `info`. */
export const OpenCodeDocument = z.object({
  info: z.object({ id: text, parentID: text, directory: text, version: text }).optional().catch(undefined),
  messages: z.array(z.unknown()),
});
export type OpenCodeDocument = z.infer<typeof OpenCodeDocument>;

/** The readable parts of a message. */
export const partsIn = ({ parts }: OpenCodeMessage): OpenCodePart[] =>
  parts.flatMap((part) => {
    const parsed = OpenCodePart.safeParse(part);
    return parsed.success ? [parsed.data] : [];
  });
