import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { inferableFrom } from '../../memory/lessons/inferable.js';
import { contradictionTags, markWarnings, type NoteMark } from '../../memory/lessons/kept-note.js';
import { MemoryCapacity } from '../../memory/lessons/memory-capacity.service.js';
import { NoteComparison } from '../../memory/lessons/note-comparison.service.js';
import { unpinnedWarning } from '../../memory/lessons/note-text.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { optional } from '../../platform/base/optional.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { type EntryProvenance, SESSION_LIMITS, type SessionEntry } from '../entries/session-memory.schema.js';
import { AgentSessionRepository } from './agent-session.repository.js';
import { EntryAccess, type MemoryUser } from './entry-access.service.js';
import { type EntryRow, SessionEntryRepository } from './session-entry.repository.js';
import { checkedEntry, contentHash, projectLabelOf, shownEntry, writerColumns } from './stored-entry.js';
import type { NewStoredEntry, StoredEntry } from './stored-session.schema.js';

interface WrittenEntry {
  readonly contentSha256: string;
  readonly marks: readonly NoteMark[];
  /** Id of the summary that it replaces. */
  readonly replaced: string | undefined;
}

/** What an agent states about its work; other kinds tell what happened. */
const isNote = (kind: SessionEntry['kind']): boolean => kind !== 'session-summary' && kind !== 'open-thread';

/** Stores entries of session memories: redacted, within their bounds, once, and in the journal. */
@Injectable()
export class EntryWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
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
    await this.entries.lockAgent(tx, agentId);
    const own = await this.entries.ofSession(tx, agentId, session);
    const contentSha256 = contentHash(entry);
    const same = own.find((one) => one.contentSha256 === contentSha256);
    if (same) return { row: same, marks: [] };
    if (caller.kind === 'person' && (await this.entries.wasStored(tx, agentId, session, contentSha256)))
      throw new DomainError('conflict', 'memory.entry_ended', 'This entry was stored before and has ended since.');
    if (own.length >= SESSION_LIMITS.entriesOfSession)
      throw full('content', `is entry ${own.length + 1} of the session; a session has at most ${own.length}`);
    const startedAt = new Date(entry.at ?? now);
    await this.sessions.ensure(tx, { agentId, session, project, startedAt });
    const known = entry.kind === 'session-summary' ? own.find(({ kind }) => kind === entry.kind) : undefined;
    if (known) requireReplaceable(known, entry);
    else if (!(await this.capacity.makeRoomForEntry(tx, agentId, project)))
      throw full(
        'pinned',
        `is set for all ${this.capacity.mostEntries} entries of this project; unpin or delete one first`,
      );
    const marks = isNote(entry.kind)
      ? this.comparison.marksOf({ ...entry, contentSha256 }, await this.comparison.keptBy(tx, agentId, project))
      : [];
    const id = await this.write(tx, user, entry, { contentSha256, marks, replaced: known?.id }, now);
    await (entry.kind === 'session-summary'
      ? this.sessions.markSummarised(tx, agentId, session)
      : this.sessions.markOpen(tx, agentId, session));
    await this.record(tx, user.actor, { id, agentId, session, kind: entry.kind, contentSha256 });
    const [row] = await this.entries.visibleAt(tx, { agentId, owner: null, projects: undefined }, { id });
    if (!row) throw new Error('an entry was neither stored nor refused');
    return { row, marks };
  }

  private async write(
    tx: Tx,
    { agent }: MemoryUser,
    entry: SessionEntry,
    { contentSha256, marks, replaced }: WrittenEntry,
    now: Date,
  ): Promise<string> {
    const { kind, pinned, session = '', project = null, figures = null } = entry;
    const { writtenBy, writer } = writerColumns(entry.provenance);
    const texts = redactDeep({ content: entry.content, tags: [...entry.tags], writer }).value;
    if (replaced !== undefined) {
      await this.entries.change(
        tx,
        replaced,
        { kind, pinned, writtenBy, figures, contentSha256, updatedAt: now },
        texts,
      );
      return replaced;
    }
    const id = this.ids.uuid();
    const createdAt = new Date(entry.at ?? now);
    const row = { id, agentId: agent.id, project, session, kind, pinned, writtenBy, figures, contentSha256, createdAt };
    await this.entries.insert(tx, row, texts, now, contradictionTags(marks));
    return id;
  }

  private async record(
    tx: Tx,
    actor: Actor,
    { id, agentId, ...data }: { id: string; agentId: string; session: string; kind: string; contentSha256: string },
  ): Promise<void> {
    await this.journal.append(tx, actor, {
      action: 'session.entry_saved',
      subject: { type: 'session_entry', id },
      data: { agent: agentId, ...data },
    });
  }
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
