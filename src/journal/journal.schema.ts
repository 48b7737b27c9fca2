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
    /** The number of signed heads that were compared, and of those signed by a key that this server does not trust. */
    checkpoints: z.object({ signed: z.int(), unknown: z.int() }),
  })
  .meta({ id: 'JournalVerification' });
export type JournalVerification = z.infer<typeof JournalVerification>;

/** A signed head of the journal. */
export const JournalCheckpoint = z
  .object({
    /** The number of entries that it covers. */
    size: z.int(),
    at: z.string(),
    /** C2SP tlog-checkpoint: the signed text and the signature. */
    note: z.string(),
    /**
     * This server's key in the C2SP signed-note format. Obtain it from another source than this response to trust it.
     */
    verifierKey: z.string(),
  })
  .meta({ id: 'JournalCheckpoint' });
export type JournalCheckpoint = z.infer<typeof JournalCheckpoint>;

/** One stored entry. `data` is the text that was hashed. */
export const StoredEntry = z
  .object({
    seq: z.int(),
    at: z.string(),
    actorKind: z.string(),
    actorId: z.string(),
    actorName: z.string(),
    action: z.string(),
    subjectType: z.string(),
    subjectId: z.string(),
    data: z.string(),
    previousHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'StoredEntry' });
export type StoredEntry = z.infer<typeof StoredEntry>;

/** Proof that a checkpoint covers an entry: the path of RFC 6962 §2.1.1, from the leaf up. */
export const InclusionProof = z
  .object({ entry: StoredEntry, path: z.array(z.string()), checkpoint: JournalCheckpoint })
  .meta({ id: 'InclusionProof' });
export type InclusionProof = z.infer<typeof InclusionProof>;

export const JournalSeq = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const JournalExportQuery = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
});
export type JournalExportQuery = z.infer<typeof JournalExportQuery>;
