import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { MemoryRepository } from './memory.repository.js';
import { MemoryReadRepository } from './memory-read.repository.js';
import type { MemoryRetrieval, SingleRetrieval } from './recallable-memory.js';

/**
 * Counts uses of memories in the transaction that records the use. It changes only counters; for an org entry the
 * database's gate would refuse anything else.
 */
@Injectable()
export class MemoryUse {
  constructor(
    private readonly memories: MemoryRepository,
    private readonly reading: MemoryReadRepository,
  ) {}

  applied(tx: Tx, memoryId: string, at: Date): Promise<void> {
    return this.memories.countApplication(tx, memoryId, at);
  }

  /** Call it first in a transaction that counts retrievals, with all of their memories. */
  lock(tx: Tx, ids: readonly string[]): Promise<void> {
    return this.reading.lockCounts(tx, ids);
  }

  /** Each memory counts once per session. Returns the retrievals that counted, as `retrievalKey` spells them. */
  retrieved(tx: Tx, retrievals: readonly MemoryRetrieval[]): Promise<Set<string>> {
    return this.reading.countRetrievals(tx, retrievals);
  }

  /** Each memory counts once per request, because a request without a session belongs to no other. */
  retrievedOnce(tx: Tx, retrievals: readonly SingleRetrieval[]): Promise<void> {
    return this.reading.countSingleRetrievals(tx, retrievals);
  }
}
