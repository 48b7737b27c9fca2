import { z } from 'zod';

export const JournalQuery = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  action: z.string().max(100).optional(),
  subject: z.string().max(200).optional(),
  order: z.enum(['oldest', 'newest']).default('oldest'),
});
export type JournalQuery = z.infer<typeof JournalQuery>;

export const JournalEntry = z
  .object({
    seq: z.int(),
    at: z.string(),
    actor: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
    action: z.string(),
    subject: z.object({ type: z.string(), id: z.string() }),
    data: z.json(),
    previousHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'JournalEntry' });
export type JournalEntry = z.infer<typeof JournalEntry>;

export const JournalPage = z
  .object({ items: z.array(JournalEntry), next: z.int().nullable() })
  .meta({ id: 'JournalPage' });
export type JournalPage = z.infer<typeof JournalPage>;

export const JournalVerification = z
  .object({
    intact: z.boolean(),
    entries: z.int(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    firstBroken: z.object({ seq: z.int(), reason: z.string() }).nullable(),
  })
  .meta({ id: 'JournalVerification' });
export type JournalVerification = z.infer<typeof JournalVerification>;
