import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { unknownMemory } from '../../memory/lessons/memory-keeping.service.js';
import { MemoryUse } from '../../memory/store/memory-use.service.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { shareOut } from '../../platform/background/round-robin.js';
import { Clock } from '../../platform/base/clock.js';
import { optional } from '../../platform/base/optional.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { fuse } from '../../recall/ranking/fusion.js';
import { entryTerms, passes, rankEntries } from '../entries/entry-search.js';
import { PREAMBLE, preambleOf } from '../entries/preamble.js';
import { SESSION_LIMITS, type SessionEntry } from '../entries/session-memory.schema.js';
import { overviewsOf } from '../entries/session-overview.js';
import { AgentSessionRepository } from './agent-session.repository.js';
import { EntryAccess } from './entry-access.service.js';
import { EntryVectors } from './entry-vectors.service.js';
import { type EntryReader, SessionEntryRepository } from './session-entry.repository.js';
import { type EntryRow, entryOf, shownEntry, shownHit } from './stored-entry.js';
import type {
  PreambleQuery,
  SessionQuery,
  SessionRecall,
  StoredEntry,
  StoredHit,
  StoredSession,
} from './stored-session.schema.js';

const DEFAULT_LIMIT = 10;
/** What one call reads of a memory: the newest entries. Older ones stay stored. */
const READ = { entries: 2_000, characters: 1_000_000 } as const;
const MOST_SESSIONS = 100;
/** Pinned entries that are tried for a preamble. */
const MOST_PINNED = 100;
const MOST_TERMS_KEPT = 20_000;

/** Reads session memories: recall, preamble, sessions. */
@Injectable()
export class SessionMemoryReader {
  /** The terms of entries by their hash; splitting them takes most of a recall. */
  private readonly terms = new FifoCache<readonly string[]>(MOST_TERMS_KEPT);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly references: IdentifierReferences,
    private readonly access: EntryAccess,
    private readonly entries: SessionEntryRepository,
    private readonly sessions: AgentSessionRepository,
    private readonly vectors: EntryVectors,
    private readonly uses: MemoryUse,
  ) {}

  /** The entries that match best by words and by similarity; without words, the newest. */
  async recall(caller: Caller, request: SessionRecall): Promise<StoredHit[]> {
    const { query, kinds, tags, limit = DEFAULT_LIMIT, bodies = false } = request;
    const rows = await this.entries.visible(this.database.client, await this.access.reader(caller, request), READ);
    const filter = { ...optional('kinds', kinds), ...optional('tags', tags) };
    const found = await this.rank(
      rows.filter((row) => passes(entryOf(row), filter)),
      query,
      limit,
    );
    const now = this.clock.now();
    // A person who looks does not keep an entry alive.
    if (caller.kind === 'agent')
      await this.uses.retrievedOnce(this.database.client, [{ ids: found.map(({ id }) => id), at: now }]);
    return found.map((row) => shownHit(row, now, bodies));
  }

  /** Bounded text for a system prompt. Equal memories give equal bytes. */
  async preamble(caller: Caller, query: PreambleQuery): Promise<string> {
    const { bytes = PREAMBLE.bytes, sessions = PREAMBLE.sessions } = query;
    return this.preambleFor(await this.access.reader(caller, query), { bytes, sessions });
  }

  async preambleFor(reader: EntryReader, { bytes, sessions } = PREAMBLE): Promise<string> {
    const limits = { sessions, pinned: MOST_PINNED };
    const rows = await this.entries.forPreamble(this.database.client, reader, limits);
    const writers = new Map(rows.map(({ id, agentId }) => [id, agentId]));
    const writerOf = ({ id }: SessionEntry): string => writers.get(id) ?? '';
    return preambleOf(rows.map(entryOf), { bytes, sessions }, { writerOf, reader: reader.agentId });
  }

  /** One entry. Throws `not_found` if the caller sees none with this id in the project. */
  async show(caller: Caller, id: string, query: SessionQuery): Promise<StoredEntry> {
    const reader = await this.access.reader(caller, query);
    const [row] = await this.entries.visibleAt(this.database.client, reader, { id });
    if (!row) throw unknownMemory(id, 'project');
    return shownEntry(row);
  }

  /** All entries of a session that the caller sees, oldest first; none for an unknown session. */
  async session(caller: Caller, sessionId: string, query: SessionQuery): Promise<StoredEntry[]> {
    const reader = await this.access.reader(caller, query);
    const session = this.references.of(sessionId);
    return (await this.entries.visibleAt(this.database.client, reader, { session })).map(shownEntry);
  }

  /** The newest sessions, newest first. */
  async list(caller: Caller, query: SessionQuery): Promise<StoredSession[]> {
    const { client } = this.database;
    const rows = await this.entries.visible(client, await this.access.reader(caller, query), READ);
    const agents = new Map(rows.map(({ session, agentId }) => [session, agentId]));
    const agentOf = ({ session }: { readonly session: string }): string => agents.get(session) ?? '';
    const overviews = shareOut(overviewsOf(rows.map(entryOf)), MOST_SESSIONS, agentOf);
    const about = await this.sessions.about(
      client,
      overviews.map(({ session }) => session),
    );
    return overviews.map(({ path: _, ...overview }) => {
      const of = rows.find(({ session }) => session === overview.session);
      return {
        ...overview,
        tags: [...overview.tags],
        agent: of?.agent ?? '',
        ...optional('about', about.get(`${of?.agentId} ${overview.session}`)),
      };
    });
  }

  private async rank(rows: readonly EntryRow[], query: string, limit: number): Promise<EntryRow[]> {
    const byId = new Map(rows.map((row) => [row.id, row]));
    const termsIn = (entry: SessionEntry): readonly string[] =>
      this.terms.getOrCreate(byId.get(entry.id)?.contentSha256 ?? entry.id, () => entryTerms(entry));
    const shared = (ids: readonly string[], places: number): string[] =>
      shareOut(ids, places, (id) => byId.get(id)?.agentId ?? '');
    const found = rankEntries(rows.map(entryOf), query, rows.length, termsIn).map(({ id }) => id);
    if (query === '') return shared(found, limit).flatMap((id) => byId.get(id) ?? []);
    const similar = shared(await this.vectors.similar(rows, query), SESSION_LIMITS.results);
    const words = shared(found, SESSION_LIMITS.results);
    const fused = fuse([{ ids: words }, { ids: similar, weight: this.vectors.weight }], rows.length);
    const ids = fused.map(({ id }) => id);
    return shared(ids, limit).flatMap((id) => byId.get(id) ?? []);
  }
}
