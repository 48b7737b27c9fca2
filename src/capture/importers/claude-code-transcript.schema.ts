import { z } from 'zod';

/**
 * A field of the wrong type is treated as missing: transcripts have no stable contract and change with every version.
 */
const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const count = z.number().optional().catch(undefined);

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
  content: z
    .union([z.string(), z.array(z.unknown())])
    .optional()
    .catch(undefined),
});

/** One line of a Claude Code transcript. Parsed leniently: unknown fields and types are not an error. */
export const TranscriptRecord = z.object({
  type: text,
  uuid: text,
  timestamp: z.iso.datetime({ offset: true }).optional().catch(undefined),
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
  attachment: z
    .object({ type: text, names: z.array(z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  /** The skill that was active for this answer. */
  attributionSkill: text,
  message: Message.optional().catch(undefined),
});
export type TranscriptRecord = z.infer<typeof TranscriptRecord>;

/** The readable blocks of a message; a plain string is one text block. */
export function blocksOf(record: TranscriptRecord): TranscriptBlock[] {
  const content = record.message?.content;
  if (typeof content === 'string') return [TranscriptBlock.parse({ type: 'text', text: content })];
  return (content ?? []).flatMap((block) => {
    const parsed = TranscriptBlock.safeParse(block);
    return parsed.success ? [parsed.data] : [];
  });
}

/** The text of a tool result: a string, or a list of text blocks. */
export function textOfResult(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => {
      const parsed = TranscriptBlock.safeParse(block);
      return parsed.success && parsed.data.text !== undefined ? [parsed.data.text] : [];
    })
    .join('\n');
}
