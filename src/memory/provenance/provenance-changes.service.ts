import { Injectable } from '@nestjs/common';
import type { JobActor, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { Tx } from '../../platform/database/database.js';
import type { Provenance } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { provenanceAfter } from '../store/provenance.js';
import type { EvidenceKind } from './evidence.schema.js';

export interface ProvenanceChange {
  readonly event: 'promote' | 'demote';
  /** Kind of the source that moves it; `reviewer` for a person. */
  readonly source: Exclude<EvidenceKind, 'person'> | 'reviewer' | 'promotion';
  readonly reason: string;
  /** Ids of the evidence that decided. */
  readonly evidence?: readonly string[];
}

type ProvenanceTarget = Pick<MemoryEntry, 'id' | 'provenance'>;

/** The only code that moves the provenance of a private memory. Every move is journalled. */
@Injectable()
export class ProvenanceChanges {
  constructor(
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
  ) {}

  /**
   * Moves the memory and its copies, because a copy is worth no more than its source. Ended copies are only demoted:
   * when an upkeep run is undone, they return as they are. Returns the new provenance, or undefined if this event does
   * not move it. The caller holds the lock on the memory.
   */
  async changeWithCopies(
    tx: Tx,
    actor: ReviewerActor | JobActor,
    memory: ProvenanceTarget,
    change: ProvenanceChange,
  ): Promise<Provenance | undefined> {
    const to = await this.changeOne(tx, actor, memory, change);
    if (to === undefined) return undefined;
    for (const copy of await this.memories.copies(tx, memory.id, change.event === 'promote' ? 'live' : 'all'))
      await this.changeOne(tx, actor, copy, change, { original: memory.id });
    return to;
  }

  private async changeOne(
    tx: Tx,
    actor: ReviewerActor | JobActor,
    { id, provenance: from }: ProvenanceTarget,
    { event, source, reason, evidence }: ProvenanceChange,
    extra: { original?: string } = {},
  ): Promise<Provenance | undefined> {
    const to = provenanceAfter(from, event, actor.kind);
    if (to === undefined) return undefined;
    await this.memories.setProvenance(tx, id, to);
    await this.journal.append(tx, actor, {
      action: 'memory.provenance_changed',
      subject: { type: 'memory', id },
      data: { from, to, source, reason, ...extra, ...(evidence ? { evidence: [...evidence].sort() } : {}) },
    });
    return to;
  }
}
