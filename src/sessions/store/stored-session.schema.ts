import { z } from 'zod';
import { AgentName } from '../../access/identity/access.schema.js';
import { hasCredential } from '../../untrusted/redaction/credential-in-name.js';
import {
  ENTRY_KINDS,
  EntryKind,
  EntryProvenance,
  NewSessionEntry,
  RecallOptions,
  SESSION_LIMITS,
  SessionFigures,
} from '../entries/session-memory.schema.js';

/** The session, in the words of the caller. It is stored as a reference. */
const SessionName = z.string().trim().min(1).max(200);

/** A project by its label, such as `shop` or `acme/shop`, and never by a path: the folder that hooks and imports name. */
const ProjectLabel = z
  .string()
  .trim()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,120}$/u, { error: 'must be 1 to 120 visible characters' })
  // Stored and shown as it is, so that it equals the name in the events.
  .refine((value) => !hasCredential(value), { error: 'looks like a credential' });

/** For people: the agent whose memory it is. */
const agent = AgentName.optional();
const project = ProjectLabel.optional();

export const NewStoredEntry = NewSessionEntry.extend({
  sessionId: SessionName,
  project,
  agent,
  figures: SessionFigures.optional(),
}).meta({ id: 'NewSessionEntry' });
export type NewStoredEntry = z.output<typeof NewStoredEntry>;

export const StoredEntry = z
  .object({
    id: z.uuid(),
    agent: z.string(),
    kind: EntryKind,
    content: z.string(),
    tags: z.array(z.string()),
    pinned: z.boolean(),
    /** Who wrote it. It is unverified in any case. */
    provenance: EntryProvenance,
    at: z.string(),
    updatedAt: z.string(),
    project: z.string().optional(),
    /** The reference of the session. */
    session: z.string(),
    figures: SessionFigures.optional(),
    /** Of an entry that was just saved: what it repeats or contradicts, and why no preamble holds it. */
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'SessionEntry' });
export type StoredEntry = z.infer<typeof StoredEntry>;

export const StoredEntryList = z.object({ items: z.array(StoredEntry) }).meta({ id: 'SessionEntryList' });
export type StoredEntryList = z.infer<typeof StoredEntryList>;

export const SessionRecall = RecallOptions.extend({
  /** Without words, the newest entries. */
  query: z.string().trim().max(SESSION_LIMITS.query).default(''),
  project,
  agent,
}).meta({ id: 'SessionRecall' });
export type SessionRecall = z.output<typeof SessionRecall>;

export const StoredHit = StoredEntry.omit({ content: true, figures: true, pinned: true, warnings: true })
  .extend({
    /** The first characters of the content, on one line. */
    summary: z.string(),
    /** Whole days since it was written. */
    ageDays: z.int(),
    /** If the request has `bodies`. */
    content: z.string().optional(),
  })
  .meta({ id: 'SessionHit' });
export type StoredHit = z.infer<typeof StoredHit>;

export const StoredHitList = z.object({ items: z.array(StoredHit) }).meta({ id: 'SessionHitList' });
export type StoredHitList = z.infer<typeof StoredHitList>;

/** Limits of the preamble that a caller may set. */
const PREAMBLE_BYTES = { least: 256, most: 8_192 } as const;

export const PreambleQuery = z.object({
  project,
  agent,
  bytes: z.coerce.number().int().min(PREAMBLE_BYTES.least).max(PREAMBLE_BYTES.most).optional(),
  sessions: z.coerce.number().int().min(0).max(50).optional(),
});
export type PreambleQuery = z.infer<typeof PreambleQuery>;

/** Empty without entries. */
export const StoredPreamble = z.object({ text: z.string() }).meta({ id: 'SessionPreamble' });
export type StoredPreamble = z.infer<typeof StoredPreamble>;

export const SessionQuery = z.object({ project, agent });
export type SessionQuery = z.infer<typeof SessionQuery>;

export const StoredSession = z
  .object({
    session: z.string(),
    agent: z.string(),
    at: z.string().optional(),
    project: z.string().optional(),
    /** What it was about, from its report. */
    about: z.string().optional(),
    /** Empty until the session has a summary. */
    summary: z.string(),
    tags: z.array(z.string()),
    entries: z.int(),
    figures: SessionFigures.optional(),
  })
  .meta({ id: 'StoredSession' });
export type StoredSession = z.infer<typeof StoredSession>;

export const StoredSessionList = z.object({ items: z.array(StoredSession) }).meta({ id: 'StoredSessionList' });
export type StoredSessionList = z.infer<typeof StoredSessionList>;

export const SessionStart = z
  .strictObject({ sessionId: SessionName, project, agent, startedAt: z.iso.datetime().optional() })
  .meta({ id: 'SessionStart' });
export type SessionStart = z.infer<typeof SessionStart>;

export const StartedSession = z.object({ session: z.string() }).meta({ id: 'StartedSession' });
export type StartedSession = z.infer<typeof StartedSession>;

export const SessionClose = z
  .strictObject({
    project,
    agent,
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    /** Of the caller. Stays unused if the agent or a person saved one. Without one, the server writes it by rules. */
    summary: z
      .strictObject({
        text: z.string().trim().min(1).max(SESSION_LIMITS.summary),
        tags: NewSessionEntry.shape.tags,
      })
      .optional(),
    figures: SessionFigures.optional(),
  })
  .meta({ id: 'SessionClose' });
export type SessionClose = z.infer<typeof SessionClose>;

export const SessionParam = z.object({ session: SessionName });
export type SessionParam = z.infer<typeof SessionParam>;

/** A person's new text of an entry. What is left out stays. */
export const EditEntry = z
  .strictObject({
    content: NewSessionEntry.shape.content.optional(),
    tags: NewSessionEntry.shape.tags,
    kind: z.enum(ENTRY_KINDS).optional(),
    pinned: z.boolean().optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    path: ['content'],
    error: 'is required, or another field to change',
  })
  .meta({ id: 'EditSessionEntry' });
export type EditEntry = z.infer<typeof EditEntry>;

export const DeleteEntry = z
  .strictObject({ reason: z.string().trim().min(1).max(500) })
  .meta({ id: 'DeleteSessionEntry' });
export type DeleteEntry = z.infer<typeof DeleteEntry>;
