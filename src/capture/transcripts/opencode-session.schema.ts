import { z } from 'zod';
import { count, flag, lenient, readable, text } from '../../platform/base/lenient.schema.js';

/** Milliseconds since 1970. */
const time = lenient(z.number().min(0).max(8.64e15));

/** A part of a message: a text, a tool call, or one that is not read. */
export const OpenCodePart = z.object({
  type: text,
  text,
  /** Set on a text that a program added. */
  synthetic: flag,
  tool: text,
  callID: text,
  state: lenient(
    z.object({
      status: text,
      input: z.unknown().optional(),
      output: text,
      error: text,
      metadata: lenient(z.object({ exit: count, output: text })),
      time: lenient(z.object({ start: time, end: time })),
    }),
  ),
});
export type OpenCodePart = z.infer<typeof OpenCodePart>;

export const OpenCodeMessage = z.object({
  info: z.object({
    id: z.string(),
    sessionID: text,
    role: text,
    modelID: text,
    finish: text,
    path: lenient(z.object({ cwd: text })),
    time: lenient(z.object({ created: time, completed: time })),
    error: lenient(z.object({ name: text, data: lenient(z.object({ message: text, statusCode: count })) })),
  }),
  parts: z.array(z.unknown()).catch([]),
});
export type OpenCodeMessage = z.infer<typeof OpenCodeMessage>;

/** A session with its messages, as `opencode export` prints it and the plugin's client gives it, at times without `info`. */
export const OpenCodeDocument = z.object({
  info: lenient(z.object({ id: text, parentID: text, directory: text, version: text })),
  messages: z.array(z.unknown()),
});
export type OpenCodeDocument = z.infer<typeof OpenCodeDocument>;

/** The readable parts of a message. */
export const partsIn = ({ parts }: OpenCodeMessage): OpenCodePart[] => readable(parts, OpenCodePart);
