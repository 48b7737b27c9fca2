import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import type { Tx } from '../../platform/database/database.js';
import type { Provenance } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import type { Evidence } from './evidence.schema.js';
import { MemoryEvidenceRepository, type NewEvidence } from './memory-evidence.repository.js';
import { type ProvenanceChange, ProvenanceChanges } from './provenance-changes.service.js';

/** What speaks for a private memory and against it, and what follows from that. People's words come in elsewhere. */
@Injectable()
export class MemoryEvidence {
  constructor(
    private readonly memories: MemoryRepository,
    private readonly evidence: MemoryEvidenceRepository,
    private readonly provenances: ProvenanceChanges,
  ) {}

  of(tx: Tx, memoryId: string): Promise<Evidence[]> {
    return this.evidence.of(tx, memoryId);
  }

  add(tx: Tx, evidence: NewEvidence & { readonly kind: Exclude<Evidence['kind'], 'person'> }): Promise<void> {
    return this.evidence.add(tx, evidence);
  }

  /** The live private memory, held as it is until the transaction ends; undefined where there is none. */
  async hold(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    const memory = (await this.memories.lockLive(tx, id)) ? await this.memories.find(tx, id) : undefined;
    return memory?.scope === 'ORG' ? undefined : memory;
  }

  find(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    return this.memories.find(tx, id);
  }

  /** See `ProvenanceChanges.change`. */
  change(tx: Tx, actor: JobActor, memory: MemoryEntry, change: ProvenanceChange): Promise<Provenance | undefined> {
    return this.provenances.change(tx, actor, memory, change);
  }
}
