import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import type { ProvenanceEvidence } from './evidence.schema.js';
import { MemoryEvidenceRepository, type NewProvenanceEvidence } from './memory-evidence.repository.js';

/** Evidence for and against private memories. Verdicts of people are written by `MemoryKeeping`, not here. */
@Injectable()
export class MemoryEvidence {
  constructor(
    private readonly memories: MemoryRepository,
    private readonly evidence: MemoryEvidenceRepository,
  ) {}

  list(tx: Tx, memoryId: string): Promise<ProvenanceEvidence[]> {
    return this.evidence.findByMemory(tx, memoryId);
  }

  add(
    tx: Tx,
    evidence: NewProvenanceEvidence & { readonly kind: Exclude<ProvenanceEvidence['kind'], 'person'> },
  ): Promise<void> {
    return this.evidence.add(tx, evidence);
  }

  /** Locks a live private memory until the transaction ends. Returns undefined if there is none. */
  async lockLive(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    const memory = await this.memories.lockLive(tx, id);
    return memory?.scope === 'org' ? undefined : memory;
  }

  find(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    return this.memories.find(tx, id);
  }
}
