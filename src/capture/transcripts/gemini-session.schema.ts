import { z } from 'zod';
import { list, readable, text } from '../../platform/base/lenient.schema.js';

/** A call of a tool, with its result once it has ended. */
export const GeminiCall = z.object({
  id: text,
  name: text,
  args: z.unknown().optional(),
  status: text,
  result: z.unknown().optional(),
  timestamp: text,
});
export type GeminiCall = z.infer<typeof GeminiCall>;

/** A message of a session. Its record is written again whenever it changes. */
export const GeminiMessage = z.object({
  id: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  type: text,
  content: z.unknown().optional(),
  model: text,
  toolCalls: list,
});
export type GeminiMessage = z.infer<typeof GeminiMessage>;

/** The first line of a session file, or the whole file in older versions. */
export const GeminiHeader = z.object({
  sessionId: z.string(),
  projectHash: text,
  startTime: text,
  kind: text,
  directories: list,
  messages: list,
});
export type GeminiHeader = z.infer<typeof GeminiHeader>;

/** A later change of the fields of the first line. */
export const GeminiPatch = z.object({
  $set: z.object({
    messages: list,
    directories: list,
  }),
});

/** The readable calls of a message. */
export const callsIn = ({ toolCalls }: GeminiMessage): GeminiCall[] => readable(toolCalls, GeminiCall);
