import { z } from 'zod';

export const NewAuditStream = z
  .strictObject({
    url: z.string().trim().min(1).max(2_000),
    /** The first entry that is sent: the first of the journal, or the next one that is written. */
    from: z.enum(['beginning', 'now']).default('beginning'),
  })
  .meta({ id: 'NewAuditStream' });
export type NewAuditStream = z.infer<typeof NewAuditStream>;

export const AuditStream = z
  .object({
    id: z.uuid(),
    kind: z.enum(['webhook', 'file']),
    /** The address, or the path on the machine of the process that writes the file. */
    target: z.string(),
    /** The last entry that the receiver acknowledged; 0 before the first. */
    acknowledged: z.int(),
    acknowledgedAt: z.string().nullable(),
    /** Entries of the journal that the receiver does not have yet. */
    pending: z.int(),
    /** Failed attempts since the last acknowledgement, and when they began. */
    failures: z.int(),
    failingSince: z.string().nullable(),
    /** When a failing stream tries again. */
    nextAttemptAt: z.string().nullable(),
    /** The HTTP status of the last attempt; null if there was no response. */
    lastStatus: z.int().nullable(),
    /** The beginning of the last response, redacted, or the reason why there is none. */
    lastAnswer: z.string().nullable(),
    /** Null for a file, which a setting names. */
    createdBy: z.uuid().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'AuditStream' });
export type AuditStream = z.infer<typeof AuditStream>;

/** A new stream with its secret, which is shown only once. */
export const AddedAuditStream = AuditStream.extend({ secret: z.string() }).meta({ id: 'AddedAuditStream' });
export type AddedAuditStream = z.infer<typeof AddedAuditStream>;

export const AuditStreamList = z.object({ items: z.array(AuditStream) }).meta({ id: 'AuditStreamList' });
export type AuditStreamList = z.infer<typeof AuditStreamList>;
