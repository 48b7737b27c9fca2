import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';
import { RejectionKind } from '../texts/rejection-reason.schema.js';

/** Days of the window; the default is a quarter of a year. */
export const WriterQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(3_650).default(90) });
export type WriterQuery = z.infer<typeof WriterQuery>;

/** What reviewers decided on the proposals of one writer. */
export const WriterRecord = z
  .object({
    /** `rules`, a provider with the model and the version of its prompt, or `external`: edits outside Guildbook. */
    writer: z.string(),
    /** Proposals submitted in the window, by what became of them; `ended`: withdrawn or expired. */
    submitted: count,
    pending: count,
    approved: count,
    rejected: count,
    ended: count,
    /** Of the approved and rejected ones, those that a person edited before. */
    edited: count,
    /** Shares of the approved and rejected ones, 0..1; null if there is none. */
    shares: z.object({ approved: z.number(), edited: z.number(), rejected: z.number() }).nullable(),
    /** The rejections by reason, the most frequent first. */
    reasons: z.array(z.object({ reason: RejectionKind, n: count })),
  })
  .meta({ id: 'WriterRecord' });
export type WriterRecord = z.infer<typeof WriterRecord>;

export const WriterList = z
  .object({
    window: z.object({ from: z.string(), to: z.string() }),
    /** Those of the most proposals first; empty without a proposal in the window. */
    items: z.array(WriterRecord),
  })
  .meta({ id: 'WriterList' });
export type WriterList = z.infer<typeof WriterList>;
