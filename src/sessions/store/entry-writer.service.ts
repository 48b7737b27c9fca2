import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { Actor } from '../../journal/actor.js';
import { inferableFrom } from '../../memory/lessons/inferable.js';
import { contradictionTags, markWarnings, type NoteMark } from '../../memory/lessons/kept-note.js';
import { MemoryCapacity } from '../../memory/lessons/memory-capacity.service.js';
import { MemoryKeeping, unchanged } from '../../memory/lessons/memory-keeping.service.js';
import { NoteComparison } from '../../memory/lessons/note-comparison.service.js';
import { unpinnedWarning } from '../../memory/lessons/note-text.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { optional } from '../../platform/base/optional.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import {
  type EntryProvenance,
  SESSION_LIMITS,
  type SessionEntry,
  type SessionFigures,
  type SummaryText,
} from '../entries/session-memory.schema.js';
import { AgentSessionRepository } from './agent-session.repository.js';
import { EntryAccess, type MemoryUser } from './entry-access.service.js';
import { type EntryPlace, SessionEntryRepository } from './session-entry.repository.js';
import {
  BY_AGENT_AT_CLOSE,
  checkedEntry,
  contentHash,
  type EntryRow,
  projectLabelOf,
  shownEntry,
  type WriterColumns,
  writerColumns,
} from './stored-entry.js';
import type { EditEntry, NewStoredEntry, StoredEntry } from './stored-session.schema.js';

/** The session that a summary is about. */
export interface SummarisedSession {
  readonly agentId: string;
  readonly session: string;
  readonly project: string | null;
}

export interface NewSummary extends SummaryText, WriterColumns {
  readonly figures: SessionFigures | null;
  /** When the session ended. */
  readonly at: Date;
}

/** What an entry says, before its texts are redacted. */
type Said = Pick<EntryRow, 'kind' | 'content' | 'pinned' | 'contentSha256' | 'figures'> &
  WriterColumns & { readonly tags: readonly string[] };

/** What an agent states about its work; other kinds tell what happened. */
const isNote = (kind: SessionEntry['kind']): boolean => kind !== 'session-summary' && kind !== 'open-thread';

/** Stores entries of session memories: redacted, within their bounds, once, and in the journal. */
@Injectable()
export class EntryWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly keeping: MemoryKeeping,
    private readonly references: IdentifierReferences,
    private readonly access: EntryAccess,
    private readonly capacity: MemoryCapacity,
    private readonly comparison: NoteComparison,
    private readonly entries: SessionEntryRepository,
    private readonly sessions: AgentSessionRepository,
  ) {}

  /**
   * Stores an entry as its caller's, or returns the one that says the same in the session. Throws `memory.invalid` with
   * the field, `memory.full` if the memory has no room, `memory.summary_edited` if a person wrote the summary that the
   * agent wants to replace, and `memory.entry_ended` if a person sends again what ended on the server.
   */
  async save(caller: Caller, input: NewStoredEntry): Promise<StoredEntry> {
    const user = await this.access.resolve(caller, input.agent);
    const now = this.clock.now();
    const entry = this.parse(caller, input, now);
    // A person who pushes a file decides what is worth keeping.
    const inferable = caller.kind === 'agent' && isNote(entry.kind) ? inferableFrom(entry.content) : undefined;
    const isPinned = entry.pinned && (inferable === undefined || input.pinned === true);
    const { row, marks } = await this.database.transaction((tx) =>
      this.store(tx, user, caller, { ...entry, pinned: isPinned }, now),
    );
    const warnings = [...(inferable === undefined ? [] : [unpinnedWarning(inferable)]), ...markWarnings(marks)];
    return { ...shownEntry(row), ...(warnings.length > 0 ? { warnings } : {}) };
  }

  private parse(caller: Caller, input: NewStoredEntry, now: Date): SessionEntry {
    const { kind, content, tags, pinned, figures, sessionId } = input;
    const provenance = writerOf(caller, input.provenance);
    const entry = checkedEntry(
      { kind, content, provenance, ...optional('tags', tags), ...optional('pinned', pinned) },
      { at: notAfter(now, input.at).toISOString(), session: this.references.of(sessionId) },
    );
    const project = projectLabelOf(input.project);
    return { ...entry, ...optional('project', project ?? undefined), ...optional('figures', figures) };
  }

  private async store(
    tx: Tx,
    user: MemoryUser,
    caller: Caller,
    entry: SessionEntry,
    now: Date,
  ): Promise<{ row: EntryRow; marks: readonly NoteMark[] }> {
    const { id: agentId } = user.agent;
    const { session = '', project = null } = entry;
    const own = await this.entries.lockSession(tx, agentId, session);
    const contentSha256 = contentHash(entry);
    const same = own.find((one) => one.contentSha256 === contentSha256);
    if (same) return { row: same, marks: [] };
    if (caller.kind === 'person' && (await this.entries.wasStored(tx, agentId, session, contentSha256)))
      throw new DomainError('conflict', 'memory.entry_ended', 'This entry was stored before and has ended since.');
    if (own.length >= SESSION_LIMITS.entriesOfSession)
      throw full('content', `is entry ${own.length + 1} of the session; a session has at most ${own.length}`);
    const startedAt = new Date(entry.at ?? now);
    await this.sessions.ensure(tx, { agentId, session, project, startedAt });
    const known = isSummary(entry) ? own.find(isSummary) : undefined;
    if (known) requireReplaceable(known, entry);
    else if (!(await this.capacity.makeRoomForEntry(tx, agentId, project)))
      throw full(
        'pinned',
        `is set for all ${this.capacity.mostEntries} entries of this project; unpin or delete one first`,
      );
    const marks = isNote(entry.kind)
      ? this.comparison.marksOf({ ...entry, contentSha256 }, await this.comparison.keptBy(tx, agentId, project))
      : [];
    const said = { ...entry, ...writerColumns(entry.provenance), contentSha256, figures: entry.figures ?? null };
    const place = { agentId, session, project, createdAt: startedAt };
    const id = await this.put(tx, said, known?.id ?? place, contradictionTags(marks));
    await (isSummary(entry)
      ? this.sessions.markSummarised(tx, agentId, session)
      : this.sessions.markOpen(tx, agentId, session));
    const data = { agent: agentId, session, kind: entry.kind, contentSha256 };
    await this.keeping.record(tx, user.actor, 'session.entry_saved', id, data, 'project');
    return { row: await this.found(tx, agentId, id), marks };
  }

  /** Replaces what an entry says; it is the person's then. Throws `memory.unchanged` if nothing changes. */
  edit(caller: Caller, id: string, change: EditEntry): Promise<StoredEntry> {
    return this.database.transaction(async (tx) => {
      const { actor, agentId } = await this.keeping.lock(tx, caller, id, 'project');
      const row = await this.found(tx, agentId, id);
      const { content = row.content, tags = row.tags, kind = row.kind, pinned = row.pinned } = change;
      requireKind(row, kind);
      const defaults = { at: row.createdAt.toISOString(), session: row.session };
      const entry = checkedEntry({ kind, content, tags: [...tags], pinned }, defaults);
      const contentSha256 = contentHash(entry);
      if (contentSha256 === row.contentSha256 && entry.pinned === row.pinned) throw unchanged();
      const { figures } = row;
      await this.put(tx, { ...entry, contentSha256, figures, writtenBy: 'person', writer: caller.name }, id);
      await this.entries.settle(tx, agentId, id);
      const data = { agent: agentId, replaced: row.contentSha256, contentSha256 };
      await this.keeping.record(tx, actor, 'session.entry_edited', id, data, 'project');
      return shownEntry(await this.found(tx, agentId, id));
    });
  }

  /**
   * Stores the summary of a session, once. `own`: all entries of the session, read under the lock of the agent. A summary of
   * the agent gets the figures alone, one of a person nothing.
   */
  async summarise(
    tx: Tx,
    actor: Actor,
    about: SummarisedSession,
    own: readonly EntryRow[],
    summary: NewSummary,
  ): Promise<void> {
    await this.putSummary(tx, actor, about, own.find(isSummary), summary);
    await this.sessions.markSummarised(tx, about.agentId, about.session);
  }

  private async putSummary(
    tx: Tx,
    actor: Actor,
    about: SummarisedSession,
    known: EntryRow | undefined,
    summary: NewSummary,
  ): Promise<void> {
    const { figures, at } = summary;
    const isSaved = known?.writtenBy === 'agent' && known.writer !== BY_AGENT_AT_CLOSE.writer;
    if (known?.writtenBy === 'person' || (isSaved && figures === null)) return;
    const { agentId, session, project } = about;
    const { content, tags, writtenBy, writer } = isSaved ? known : { ...summary, content: summary.text };
    const kind = 'session-summary';
    const entry = checkedEntry({ kind, content, tags: [...tags] }, { at: at.toISOString(), session });
    const said = { ...entry, pinned: false, contentSha256: contentHash(entry), figures, writtenBy, writer };
    if (known && isSame(known, said)) return;
    // A memory full of pinned entries has no room for a summary that no one asked for.
    if (!known && !(await this.capacity.makeRoomForEntry(tx, agentId, project))) return;
    const id = await this.put(tx, said, known?.id ?? { ...about, createdAt: at });
    const data = { agent: agentId, session, by: writtenBy, contentSha256: said.contentSha256 };
    await this.keeping.record(tx, actor, 'session.summarised', id, data, 'project');
  }

  /** The one way of an entry into the table: redacted, over a known one or in a new row. Returns its id. */
  private async put(tx: Tx, said: Said, at: string | EntryPlace, controlTags: readonly string[] = []): Promise<string> {
    const { kind, pinned, writtenBy, figures, contentSha256, content, tags, writer } = said;
    const texts = redactDeep({ content, tags: [...tags], writer }).value;
    const change = { kind, pinned, writtenBy, figures, contentSha256, updatedAt: this.clock.now() };
    if (typeof at === 'string') await this.entries.change(tx, at, change, texts);
    else {
      const id = this.ids.uuid();
      await this.entries.insert(tx, { ...at, id }, change, texts, controlTags);
      return id;
    }
    return at;
  }

  private async found(tx: Tx, agentId: string, id: string): Promise<EntryRow> {
    const [row] = await this.entries.visibleAt(tx, { agentId, owner: null, projects: undefined }, { id });
    if (!row) throw new Error('an entry was neither stored nor refused');
    return row;
  }
}

const isSummary = ({ kind }: Pick<EntryRow, 'kind'>): boolean => kind === 'session-summary';

const isSame = (known: EntryRow, { contentSha256, writtenBy, figures }: Said): boolean =>
  known.contentSha256 === contentSha256 &&
  known.writtenBy === writtenBy &&
  (figures === null || figuresKey(known.figures) === figuresKey(figures));

const figuresKey = (figures: SessionFigures | null): string =>
  JSON.stringify([figures?.durationMinutes, figures?.turns, figures?.costUsd]);

/** A session has one summary, so that no entry becomes one and none stops being one. */
function requireKind(row: EntryRow, kind: EntryRow['kind']): void {
  if (kind === row.kind || (kind !== 'session-summary' && !isSummary(row))) return;
  const message = 'cannot change to or from session-summary';
  throw new DomainError('invalid', 'memory.invalid', `kind: ${message}`, [{ field: 'kind', message }]);
}

/**
 * Who wrote an entry: the holder of the credential. A person may attribute an entry to the agent or to its session, as a
 * push of files does; every other claim is refused.
 */
function writerOf(caller: Caller, stated: EntryProvenance | undefined): EntryProvenance {
  const own: EntryProvenance = { by: caller.kind === 'person' ? 'person' : 'agent', name: caller.name };
  const { by, name } = stated ?? own;
  if (own.by === 'person' && by !== 'person') return { by, ...optional('name', name) };
  if (by !== own.by) throw foreignWriter('provenance.by', own);
  if (name !== undefined && name !== own.name) throw foreignWriter('provenance.name', own);
  return own;
}

function foreignWriter(field: string, { by, name }: EntryProvenance): DomainError {
  const message = `is not who writes this entry, which is the ${by} "${name}" of the credential`;
  return new DomainError('invalid', 'memory.invalid', `${field} ${message}.`, [{ field, message }]);
}

/** A time that a caller states, never after now. */
export const notAfter = (now: Date, stated: string | undefined): Date =>
  stated === undefined || Date.parse(stated) > now.getTime() ? now : new Date(stated);

function requireReplaceable({ writtenBy }: EntryRow, { provenance, kind }: SessionEntry): void {
  if (writtenBy !== 'person' || provenance.by === 'person') return;
  const message = `is ${kind}, and a person has written the summary of this session`;
  throw new DomainError('conflict', 'memory.summary_edited', 'A person has written the summary of this session.', [
    { field: 'kind', message },
  ]);
}

const full = (field: string, message: string): DomainError =>
  new DomainError('conflict', 'memory.full', `The session memory is full: ${field} ${message}.`, [{ field, message }]);
