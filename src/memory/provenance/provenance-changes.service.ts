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
  /** Whose word moves it; `reviewer` for a person. */
  readonly source: Exclude<EvidenceKind, 'person'> | 'reviewer' | 'promotion';
  readonly reason: string;
  /** The evidence that decided. */
  readonly evidence?: readonly string[];
}

type ProvenanceTarget = Pick<MemoryEntry, 'id' | 'provenance'>;

/** The one way in which the provenance of a private memory moves, each time with an entry in the journal. */
@Injectable()
export class ProvenanceChanges {
  constructor(
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
  ) {}

  /**
   * Moves the memory and, since a copy is worth what its source is worth, its live copies. What it is then; undefined
   * where this event does not move it. The caller holds the memory.
   */
  async changeWithCopies(
    tx: Tx,
    actor: ReviewerActor | JobActor,
    memory: ProvenanceTarget,
    change: ProvenanceChange,
  ): Promise<Provenance | undefined> {
    const to = await this.changeOne(tx, actor, memory, change);
    if (to === undefined) return undefined;
    for (const copy of await this.memories.liveCopies(tx, memory.id))
      await this.changeOne(tx, actor, copy, change, { original: memory.id });
    return to;
  }

  private async changeOne(
    tx: Tx,
    actor: ReviewerActor | JobActor,
    { id, provenance: from }: ProvenanceTarget,
    { event, source, reason, evidence }: ProvenanceChange,
    more: { original?: string } = {},
  ): Promise<Provenance | undefined> {
    const to = provenanceAfter(from, event, actor.kind);
    if (to === undefined) return undefined;
    await this.memories.setProvenance(tx, id, to);
    await this.journal.append(tx, actor, {
      action: 'memory.provenance_changed',
      subject: { type: 'memory', id },
      data: { from, to, source, reason, ...more, ...(evidence ? { evidence: [...evidence].sort() } : {}) },
    });
    return to;
  }
}
