import { z } from 'zod';

/** Raised when the layout of a backup changes. */
export const BACKUP_FORMAT = 1;

export const MANIFEST_FILE = 'manifest.json';
export const KEY_FILE = 'journal-key.pem';
export const SKILLS_FILE = 'skills.bundle';
export const tableFile = (table: string): string => `database/${table}.jsonl`;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().min(0);

/** Describes a backup; every other file of it is under a checksum here. */
export const Manifest = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  version: z.string().max(100),
  createdAt: z.iso.datetime(),
  database: z.enum(['embedded', 'postgresql']),
  migrations: z.array(z.strictObject({ name: z.string().max(255), checksum: Sha256 })).max(10_000),
  /** Number of rows by table. */
  rows: z.record(z.string().max(100), Count),
  sequences: z.array(z.strictObject({ name: z.string().max(100), value: z.string().max(30).nullable() })).max(1_000),
  journal: z.strictObject({
    name: z.string().max(200),
    verifierKey: z.string().max(500),
    seq: Count,
    hash: Sha256,
    /** The head, signed; null for an empty journal. */
    checkpoint: z.string().max(5_000).nullable(),
  }),
  /** Null if no server has published to a folder yet. */
  skills: z
    .strictObject({
      id: z.uuid(),
      known: z.string().max(64).nullable(),
      objectFormat: z.enum(['sha1', 'sha256']),
      references: z.record(z.string().max(1_000), z.string().max(64)),
    })
    .nullable(),
  /** SHA-256 by path. */
  files: z.record(z.string().max(200), Sha256),
});
export type Manifest = z.infer<typeof Manifest>;
