import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { AdminActor, OwnerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { EntryAccess } from './entry-access.service.js';
import { type EntryRow, SessionEntryRepository } from './session-entry.repository.js';
import { checkedEntry, contentHash, shownEntry } from './stored-entry.js';
import type { EditEntry, StoredEntry } from './stored-session.schema.js';

/** Corrections and deletions of entries by the owner of their agent, or by an administrator. */
@Injectable()
export class EntryCorrection {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly access: EntryAccess,
    private readonly entries: SessionEntryRepository,
  ) {}

  /** Replaces what an entry says; it is the person's then. Throws `memory.unchanged` if nothing changes. */
  edit(caller: Caller, id: string, change: EditEntry): Promise<StoredEntry> {
    return this.database.transaction(async (tx) => {
      const { row, actor } = await this.lock(tx, caller, id);
      const { content = row.content, tags = row.tags, kind = row.kind, pinned = row.pinned } = change;
      requireKind(row, kind);
      const defaults = { at: row.createdAt.toISOString(), session: row.session };
      const entry = checkedEntry({ kind, content, tags: [...tags], pinned }, defaults);
      const contentSha256 = contentHash(entry);
      if (contentSha256 === row.contentSha256 && entry.pinned === row.pinned)
        throw new DomainError('conflict', 'memory.unchanged', 'The correction changes nothing.');
      const texts = redactDeep({ content: entry.content, tags: [...entry.tags], writer: caller.name }).value;
      const { figures } = row;
      const now = this.clock.now();
      const next = { kind, pinned: entry.pinned, writtenBy: 'person', figures, contentSha256, updatedAt: now } as const;
      await this.entries.change(tx, id, next, texts);
      await this.entries.settle(tx, row.agentId, id);
      await this.record(tx, actor, 'session.entry_edited', row, { replaced: row.contentSha256, contentSha256 });
      return shownEntry((await this.entries.find(tx, id)) ?? row);
    });
  }

  /** Ends an entry and erases its text, also where entries that said the same ended for it. */
  async delete(caller: Caller, id: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { row, actor } = await this.lock(tx, caller, id);
      await this.entries.delete(tx, id, this.clock.now());
      await this.entries.eraseMerged(tx, id);
      const { contentSha256 } = row;
      await this.record(tx, actor, 'session.entry_deleted', row, { reason: redact(reason).text, contentSha256 });
    });
  }

  /** Locks the memory of the entry's agent, once the person is known to keep it. */
  private async lock(tx: Tx, caller: Caller, id: string) {
    const known = await this.entries.find(tx, id);
    if (!known) throw unknownEntry(id);
    const actor = await this.access.keeper(tx, caller, known.agentId);
    await this.entries.lockAgent(tx, known.agentId);
    const row = await this.entries.find(tx, id);
    if (!row) throw unknownEntry(id);
    return { row, actor };
  }

  private record(
    tx: Tx,
    actor: OwnerActor | AdminActor,
    action: string,
    { id, agentId }: EntryRow,
    data: { readonly contentSha256: string; readonly reason?: string; readonly replaced?: string },
  ) {
    return this.journal.append(tx, actor, {
      action,
      subject: { type: 'session_entry', id },
      data: { agent: agentId, ...data },
    });
  }
}

export const unknownEntry = (id: string): DomainError =>
  new DomainError('not_found', 'memory.unknown_entry', `There is no live entry ${id} that you can see.`);

/** A session has one summary, so that no entry becomes one and none stops being one. */
function requireKind(row: EntryRow, kind: EntryRow['kind']): void {
  if (kind === row.kind || (kind !== 'session-summary' && row.kind !== 'session-summary')) return;
  const message = 'cannot change to or from session-summary';
  throw new DomainError('invalid', 'memory.invalid', `kind: ${message}`, [{ field: 'kind', message }]);
}
