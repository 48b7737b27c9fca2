import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { MemoryRepository } from './memory.repository.js';

/** Counts how often an entry was applied. It touches nothing else of it, and the gate would refuse it. */
@Injectable()
export class Applications {
  constructor(private readonly memories: MemoryRepository) {}

  async count(tx: Tx, memoryId: string, at: Date): Promise<void> {
    await this.memories.countApplication(tx, memoryId, at);
  }
}
