import { z } from 'zod';
import { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { ENTRY_KINDS, EntryKind } from '../../memory/store/entry-kind.schema.js';

/** Limits of what a caller saves and asks. Lengths are in UTF-16 code units. */
export const SESSION_LIMITS = {
  content: 4_000,
  summary: 1_200,
  tags: 10,
  tag: 40,
  name: 120,
  query: 2_000,
  results: 50,
  entriesOfSession: 500,
  asked: 200,
} as const;

export { ENTRY_KINDS, EntryKind };

/** One word or a few joined by `-`, `_`, `.`, `/` or `+`. */
export const TAG = /^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}._/+-]*$/u;
const tag = z
  .string()
  .trim()
  .toLowerCase()
  .max(SESSION_LIMITS.tag, { error: `has more than ${SESSION_LIMITS.tag} characters` })
  .regex(TAG, { error: 'is not a word of letters and digits' });
const name = z.string().trim().min(1).max(SESSION_LIMITS.name);
const instant = z.iso.datetime();

/**
 * Who wrote an entry. `session` is the summary at the end of a session. A text that was changed in its file is the
 * person's: another program that edits the file is taken for one.
 */
export const EntryProvenance = z.strictObject({ by: z.enum(['agent', 'session', 'person']), name: name.optional() });
export type EntryProvenance = z.infer<typeof EntryProvenance>;

/** Of a closed session. */
export const SessionFigures = z.strictObject({
  durationMinutes: z.int().min(0).max(1_000_000),
  turns: z.int().min(0).max(1_000_000).optional(),
  /** In US dollars, with four decimals. */
  costUsd: z.number().min(0).max(1_000_000).optional(),
});
export type SessionFigures = z.infer<typeof SessionFigures>;

/** What a caller saves. Everything else of an entry has a default from the memory. */
export const NewSessionEntry = z.strictObject({
  kind: EntryKind,
  content: z.string().max(SESSION_LIMITS.content, { error: `has more than ${SESSION_LIMITS.content} characters` }),
  tags: z
    .array(tag)
    .max(SESSION_LIMITS.tags, { error: `has more than ${SESSION_LIMITS.tags} tags` })
    .optional(),
  /** The time of writing without this. */
  at: instant.optional(),
  provenance: EntryProvenance.optional(),
  /** Whether the preamble may hold it. Facts and preferences are pinned without this, other kinds never are. */
  pinned: z.boolean().optional(),
});
export type NewSessionEntry = z.input<typeof NewSessionEntry>;

/** One entry as it is stored, with its text redacted. */
export interface SessionEntry {
  /**
   * In files 16 hex digits of the hash of what the entry says, so an edited entry has another id. On a server a UUID,
   * which stays.
   */
  readonly id: string;
  readonly kind: EntryKind;
  readonly content: string;
  readonly tags: readonly string[];
  readonly provenance: EntryProvenance;
  readonly pinned: boolean;
  /** ISO 8601 in UTC. Missing if a person wrote the entry into a file without a date. */
  readonly at?: string;
  readonly project?: string;
  readonly session?: string;
  /** Of a session summary. */
  readonly figures?: SessionFigures;
  /** Of the file in the memory's folder, with `/`. */
  readonly path?: string;
}

export const RecallOptions = z.strictObject({
  limit: z.int().min(1).max(SESSION_LIMITS.results).optional(),
  kinds: z.array(EntryKind).max(ENTRY_KINDS.length).optional(),
  /** An entry needs one of them. */
  tags: z.array(tag).max(SESSION_LIMITS.tags).optional(),
  /** Whether results have `content`. Without it, `read` returns the content. */
  bodies: z.boolean().optional(),
});
export type RecallOptions = z.input<typeof RecallOptions>;

/** An entry without its body: enough to decide whether to read it. */
export interface SessionHit extends Omit<SessionEntry, 'content' | 'figures' | 'pinned'> {
  /** The first characters of the content, on one line. */
  readonly summary: string;
  /** Whole days since it was written. */
  readonly ageDays?: number;
  readonly content?: string;
}

/** A session as a list shows it. */
export interface SessionOverview extends Pick<SessionEntry, 'at' | 'project' | 'path' | 'tags' | 'figures'> {
  readonly session: string;
  readonly entries: number;
  /** Empty until the session has ended. */
  readonly summary: string;
}

/** What a session came to, for its summary. Nothing here is stored as it is. */
export interface SessionOutcome {
  /** What the person asked for. Redacted and shortened before use. */
  readonly asked?: string;
  /** The derived report of the session: its calls, their outcomes and its times. */
  readonly report?: ExecutionReport;
  readonly turns?: number;
  readonly costUsd?: number;
}

/** The parts of an outcome that have limits. */
export const CheckedOutcome = SessionFigures.pick({ turns: true, costUsd: true }).extend({
  report: ExecutionReport.optional(),
});

/**
 * Something in the folder that could not be used; the files stay, or are set aside as `<name>.damaged-<n>`. Or a server
 * that did not respond, with its address as `path`.
 */
export interface SessionMemoryProblem {
  readonly path: string;
  readonly problem: 'damaged' | 'too_large' | 'too_many' | 'not_a_file' | 'unavailable';
  /** Entries or lines that were skipped, if they can be counted. */
  readonly skipped?: number;
}

/**
 * What an agent keeps from one session to the next. One object belongs to one session. Texts are redacted before they
 * are stored and again when they are read, because people edit the files. Rejects with `SessionMemoryError`.
 */
export interface SessionMemory {
  /** Stores one entry durably and returns it. Rejects with `memory.invalid` and the field that breaks a limit. */
  save(entry: NewSessionEntry): Promise<SessionEntry>;
  /** The entries of this project that match best. Without words, the newest. */
  recall(query: string, options?: RecallOptions): Promise<SessionHit[]>;
  /** One entry by its id, or all entries of a session by its id or path. Empty if there is none. */
  read(id: string): Promise<SessionEntry[]>;
  /** The sessions of this project, newest first. */
  sessions(): Promise<SessionOverview[]>;
  /**
   * Bounded text for the system prompt: the last sessions, and pinned facts and preferences of this project, fenced as
   * untrusted data. Equal memories give equal bytes, so that prompt caches hold. Empty without entries.
   */
  preamble(): Promise<string>;
  /** What the last read of the store could not use. */
  problems(): readonly SessionMemoryProblem[];
  /** Writes the summary of the session if it has none. A second call does nothing. */
  close(outcome?: SessionOutcome): Promise<void>;
}

export interface SummaryText {
  readonly text: string;
  readonly tags: readonly string[];
}

/** What `summarise` may use. `draft` is the summary by rules, which is used if the function fails or is too slow. */
export interface SummaryMaterial extends SessionOutcome {
  readonly draft: SummaryText;
  readonly entries: readonly SessionEntry[];
}
