import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import type { MemoryEntry } from './memory.schema.js';
import { MemoryReadRepository } from './memory-read.repository.js';
import type { LiveMemory, MemoryChanges, MemoryCursor, NoteKind, Reader } from './recallable-memory.js';

const PAGE = 1_000;
/** A recall waits for these pages, and each is indexed at once: other requests wait that long. */
const GROUP_PAGE = 250;

/** Read access to memory for recall: live entries only, and for each reader only what it may see. */
@Injectable()
export class MemoryReadService {
  constructor(
    private readonly database: Database,
    private readonly memories: MemoryReadRepository,
  ) {}

  /** A cursor after every change that is visible now. */
  cursor(): Promise<MemoryCursor> {
    return this.memories.cursor(this.database.client);
  }

  /** What became visible after the cursor. */
  changes(cursor: MemoryCursor): Promise<MemoryChanges> {
    return this.memories.changes(this.database.client, cursor);
  }

  countChanges(cursor: MemoryCursor): Promise<number> {
    return this.memories.countChanges(this.database.client, cursor);
  }

  /** All live memories, page by page. */
  all(): AsyncGenerator<LiveMemory[]> {
    return this.pages(PAGE);
  }

  /** The newest live memories, page by page. */
  async *newest(limit: number): AsyncGenerator<LiveMemory[]> {
    const ids = await this.memories.newestIds(this.database.client, limit);
    for (let at = 0; at < ids.length; at += PAGE) yield await this.live(ids.slice(at, at + PAGE));
  }

  /** The live memories of a visibility group, page by page. */
  allOfGroup(group: string): AsyncGenerator<LiveMemory[]> {
    return this.pages(GROUP_PAGE, group);
  }

  /** The given memories that are live, and in this visibility group if one is given. */
  live(ids: readonly string[], group?: string): Promise<LiveMemory[]> {
    return this.memories.live(this.database.client, { ids }, group);
  }

  countLive(): Promise<number> {
    return this.memories.countLive(this.database.client);
  }

  private async *pages(limit: number, group?: string): AsyncGenerator<LiveMemory[]> {
    for (let after = NIL_UUID; ; ) {
      const page = await this.memories.live(this.database.client, { after, limit }, group);
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < limit) return;
      after = last.id;
    }
  }

  async visible(reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    return ids.length === 0 ? [] : this.memories.visible(this.database.client, reader, ids);
  }

  /** An agent's own live notes of a kind, newest first. */
  own(agentId: string, kind: NoteKind, limit: number): Promise<MemoryEntry[]> {
    return this.memories.own(this.database.client, agentId, kind, limit);
  }

  /** The budget of an agent's core block, if an administrator set one. */
  async coreTokens(agentId: string): Promise<number | undefined> {
    return (await this.memories.coreSettings(this.database.client, agentId)).coreTokens ?? undefined;
  }

  /** An agent's own live lessons that a person or independent evidence confirmed, newest first. */
  ownVerified(agentId: string, limit: number): Promise<MemoryEntry[]> {
    return this.memories.ownVerified(this.database.client, agentId, limit);
  }

  /** The newest memories that this reader may see, newest first. */
  latest(reader: Reader, limit: number): Promise<MemoryEntry[]> {
    return this.memories.latest(this.database.client, reader, limit);
  }

  /** Ids of the memories that an agent received in a session, newest first. */
  deliveredIn(agentId: string, sessionId: string): Promise<string[]> {
    return this.memories.deliveredIn(this.database.client, agentId, sessionId);
  }

  deleteChanges(before: Date): Promise<void> {
    return this.memories.deleteChanges(this.database.client, before);
  }
}
