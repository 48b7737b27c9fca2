import { Injectable } from '@nestjs/common';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { Journal } from '../../journal/journal.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry, Tombstone, TombstoneList, TombstoneQuery } from '../store/memory.schema.js';
import { type EndedMemory, TombstoneRepository } from './tombstone.repository.js';

/** Read access to memories that have ended, for people and services. Recalls read live memories only. */
@Injectable()
export class Tombstones {
  constructor(
    private readonly database: Database,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly tombstones: TombstoneRepository,
  ) {}

  async list(query: TombstoneQuery): Promise<TombstoneList> {
    const { ended, total } = await this.tombstones.list(this.database.client, query);
    return { items: await this.toTombstones(ended), total };
  }

  /** Throws `not_found` if the memory is live or was never stored. */
  async show(id: string): Promise<Tombstone> {
    const ended = await this.tombstones.find(this.database.client, id);
    const [tombstone] = ended ? await this.toTombstones([ended]) : [];
    if (!tombstone) throw new DomainError('not_found', 'memory.unknown_tombstone', `No memory ${id} has ended.`);
    return tombstone;
  }

  private async toTombstones(ended: readonly EndedMemory[]): Promise<Tombstone[]> {
    const related = ended.flatMap(({ memory }) => [memory.supersededById ?? [], memory.propagatedFromId ?? []].flat());
    const known = await this.memories.findAll(this.database.client, related);
    const entries = await this.journal.firstMentions(ended.map((one) => mentionOf(one, known)));
    return ended.map(({ memory, endedAt }) => ({
      memory,
      endedAt: endedAt.toISOString(),
      reason: memory.endReason,
      supersededBy: known.get(memory.supersededById ?? '') ?? null,
      endedBy: endedBy(entries.get(memory.id)),
    }));
  }
}

/**
 * Where the journal says who ended it: in an entry about the memory, or about its run or its decision, or in one about
 * its successor or its agent that names it. A copy ends with its source, and an entry about that says why.
 */
function mentionOf({ memory, endedAt, causes }: EndedMemory, known: ReadonlyMap<string, MemoryEntry>) {
  const isOfSource = memory.endReason === 'source_ended' && memory.propagatedFromId !== null;
  const source = isOfSource ? known.get(memory.propagatedFromId ?? '') : undefined;
  const named = isOfSource ? (memory.propagatedFromId ?? memory.id) : memory.id;
  const successor = source ? source.supersededById : memory.supersededById;
  return {
    key: memory.id,
    name: named,
    from: endedAt,
    about: [named, ...causes],
    naming: [successor, memory.agentId, source?.agentId].flatMap((id) => id ?? []),
  };
}

function endedBy(entry: JournalEntry | undefined): Tombstone['endedBy'] {
  return entry === undefined ? null : { ...entry.actor, action: entry.action, seq: entry.seq };
}
