import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../journal/actor.js';
import { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import type { Sanitized } from '../untrusted/redact-deep.js';
import type { Lesson } from './lesson.schema.js';
import { MemoryRepository } from './memory.repository.js';
import type { MemoryEntry } from './memory.schema.js';
import { provenanceOf } from './provenance.js';

export interface ApprovedSkill {
  readonly approvalId: string;
  readonly name: string;
  readonly version: number;
  readonly lesson: Sanitized<Lesson>;
  /** SHA-256 of the SKILL.md that the reviewer approved. The database refuses any other. */
  readonly artifactSha256: string;
  readonly supersedes: string | null;
}

/**
 * The one writer of org memory. Reserved to `approvals` by the boundary check and by its module, takes nothing but a
 * reviewer, and writes only inside the decision's transaction.
 */
@Injectable()
export class OrgMemory {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly memories: MemoryRepository,
  ) {}

  /** Throws `conflict` when the entry that it replaces is not live any more. */
  async admit(tx: Tx, reviewer: ReviewerActor, skill: ApprovedSkill): Promise<MemoryEntry> {
    const now = this.clock.now();
    const id = this.ids.uuid();
    if (skill.supersedes) await this.end(tx, skill.supersedes, id, now);
    return this.memories.create(tx, {
      id,
      scope: 'ORG',
      lesson: skill.lesson,
      controlTags: ['non-inferable'],
      provenance: provenanceOf(null, 'approve', reviewer.kind),
      proposer: `approved by ${reviewer.id}`,
      awaitingProposer: false,
      contentSha256: skill.artifactSha256,
      createdAt: now,
      skill: { name: skill.name, version: skill.version, approvalId: skill.approvalId },
    });
  }

  /** Ends a live skill: a tombstone that stays for audit and is never retrieved. Throws `conflict` when it has ended. */
  async retire(tx: Tx, _reviewer: ReviewerActor, memoryId: string): Promise<void> {
    await this.end(tx, memoryId, null, this.clock.now());
  }

  /** The target was live when the decision looked; a decision at the same moment may have ended it since. */
  private async end(tx: Tx, memoryId: string, by: string | null, at: Date): Promise<void> {
    if ((await this.memories.supersede(tx, [memoryId], by, at)) === 1) return;
    throw new DomainError(
      'conflict',
      'approval.stale',
      'Another decision ended or replaced this skill at this moment.',
    );
  }
}
