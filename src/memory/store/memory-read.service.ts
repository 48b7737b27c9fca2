import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import type { MemoryEntry } from './memory.schema.js';
import { MemoryReadRepository } from './memory-read.repository.js';
import type { LiveMemory, MemoryChanges, NoteKind, Reader } from './recallable-memory.js';

const PAGE = 1_000;

/** Memory as it is searched and told: live entries only, and to each reader only what it may see. */
@Injectable()
export class MemoryReadService {
  constructor(
    private readonly database: Database,
    private readonly memories: MemoryReadRepository,
  ) {}

  changes(cursor: bigint): Promise<MemoryChanges> {
    return this.memories.changes(this.database.client, cursor);
  }

  /** Every live memory, a page at a time. */
  async *all(): AsyncGenerator<LiveMemory[]> {
    for (let after = NIL_UUID; ; ) {
      const page = await this.memories.live(this.database.client, { after, limit: PAGE });
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = last.id;
    }
  }

  /** Those of them that are live. */
  live(ids: readonly string[]): Promise<LiveMemory[]> {
    return this.memories.live(this.database.client, { ids });
  }

  async visible(reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    return ids.length === 0 ? [] : this.memories.visible(this.database.client, reader, ids);
  }

  /** An agent's own live notes of a kind, newest first. */
  own(agentId: string, kind: NoteKind, limit: number): Promise<MemoryEntry[]> {
    return this.memories.own(this.database.client, agentId, kind, limit);
  }

  /** The newest that this reader may see, newest first. */
  latest(reader: Reader, limit: number): Promise<MemoryEntry[]> {
    return this.memories.latest(this.database.client, reader, limit);
  }

  /** What an agent was told in a session, by id. */
  deliveredIn(agentId: string, sessionId: string): Promise<string[]> {
    return this.memories.deliveredIn(this.database.client, agentId, sessionId);
  }

  deleteChanges(before: Date): Promise<void> {
    return this.memories.deleteChanges(this.database.client, before);
  }
}
