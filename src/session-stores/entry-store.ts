import { optional } from '../platform/base/optional.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
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

/** The date of a session whose entries have none. */
const NO_DATE = '1970-01-01T00:00:00.000Z';

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

/** The sessions of these entries that have no summary. */
export function withoutSummary(entries: readonly SessionEntry[]): SessionReference[] {
  const bySession = new Map<string, SessionEntry[]>();
  for (const entry of entries) {
    if (entry.session === undefined) continue;
    const own = bySession.get(entry.session) ?? [];
    own.push(entry);
    bySession.set(entry.session, own);
  }
  return [...bySession].flatMap(([session, own]) => {
    const [first] = own;
    if (first === undefined || !lacksSummary(own)) return [];
    return [{ session, startedAt: first.at ?? NO_DATE, ...optional('project', first.project) }];
  });
}

/** The error of a write to a file that cannot be used: nothing in it may be overwritten. */
export function unusableFile({ path, problem }: SessionMemoryProblem, maxBytes: number): SessionMemoryError {
  if (problem !== 'too_large')
    return new SessionMemoryError('memory.redirected', `${path} in the folder of the memory is not a regular file`);
  const message = `does not fit into the ${maxBytes} bytes of ${path}`;
  return new SessionMemoryError('memory.full', `${path} is full`, [{ field: 'content', message }]);
}
