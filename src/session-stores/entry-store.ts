import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';

/** The session whose entries are changed. */
export interface SessionReference {
  readonly session: string;
  readonly project?: string;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
}

export interface StoredEntries {
  readonly entries: readonly SessionEntry[];
  /** Sessions that ended without a summary, because their process died. */
  readonly unsummarised: readonly SessionReference[];
  readonly problems: readonly SessionMemoryProblem[];
}

/** Where entries are kept. Every call reads what is stored now, because other processes and people write too. */
export interface EntryStore {
  load(): Promise<StoredEntries>;
  /**
   * Replaces the entries of a session by what `next` makes of them, durably and while no one else writes. Changes nothing
   * if `next` throws or returns what it was given.
   */
  change(session: SessionReference, next: (entries: readonly SessionEntry[]) => readonly SessionEntry[]): Promise<void>;
}

/** Keeps nothing. The memory over it refuses what every memory refuses, so that a program can switch without surprises. */
export const NO_STORE: EntryStore = {
  load: async () => ({ entries: [], unsummarised: [], problems: [] }),
  change: async () => {},
};

/**
 * Whether a session with these entries ended without a summary. One by rules that is older than an entry was written
 * while the session was still running.
 */
export function lacksSummary(entries: readonly SessionEntry[]): boolean {
  const summary = entries.find(({ kind }) => kind === 'session-summary');
  if (summary === undefined) return entries.length > 0;
  const { at: summarisedAt, provenance } = summary;
  return provenance.by === 'session' && entries.some(({ at }) => (at ?? '') > (summarisedAt ?? ''));
}
