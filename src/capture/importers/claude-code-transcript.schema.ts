import { z } from 'zod';
import { count, flag, lenient, list, readable, text } from '../../platform/base/lenient.schema.js';

/** One block of a message. Only the fields that say which tool was called and whether it failed are kept. */
export const TranscriptBlock = z.object({
  type: text,
  id: text,
  name: text,
  input: z.unknown().optional(),
  text,
  tool_use_id: text,
  is_error: flag,
  content: z.unknown().optional(),
});
export type TranscriptBlock = z.infer<typeof TranscriptBlock>;

const Message = z.object({
  id: text,
  model: text,
  stop_reason: text,
  content: lenient(z.union([z.string(), z.array(z.unknown())])),
});

/** One line of a Claude Code transcript. Parsed leniently: unknown fields and types are not an error. */
export const TranscriptRecord = z.object({
  type: text,
  uuid: text,
  parentUuid: text,
  /** The request to the model that an answer is of. */
  requestId: text,
  timestamp: lenient(z.iso.datetime({ offset: true })),
  sessionId: text,
  agentId: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  cwd: text,
  /** The version of the program that wrote the record. */
  version: text,
  /** Set on the answer to a call that was not permitted. */
  toolDenialKind: text,
  isApiErrorMessage: flag,
  apiErrorStatus: count,
  apiErrorType: text,
  error: text,
  attachment: lenient(z.object({ type: text, names: list })),
  /** The skill that was active for this answer. */
  attributionSkill: text,
  message: lenient(Message),
});
export type TranscriptRecord = z.infer<typeof TranscriptRecord>;

/** The readable blocks of a message; a plain string is one text block. */
export function blocksOf(record: TranscriptRecord): TranscriptBlock[] {
  const content = record.message?.content ?? [];
  return readable(typeof content === 'string' ? [{ type: 'text', text: content }] : content, TranscriptBlock);
}
