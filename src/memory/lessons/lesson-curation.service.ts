import { Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { FROM_NO_EXECUTION } from '../provenance/evidence.schema.js';
import { MemoryEvidenceRepository } from '../provenance/memory-evidence.repository.js';
import { ProvenanceChanges } from '../provenance/provenance-changes.service.js';
import type { Provenance } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry, VerifyLesson } from '../store/memory.schema.js';

/** Actions of people on existing private lessons: pin, retire, verify. */
@Injectable()
export class LessonCuration {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly ids: Ids,
    private readonly evidence: MemoryEvidenceRepository,
    private readonly provenances: ProvenanceChanges,
  ) {}

  pin(actor: ReviewerActor | AdminActor, id: string, pinned: boolean): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.lockLesson(tx, id);
      if (lesson.pinned === pinned) return lesson;
      const updated = await this.memories.setPinned(tx, id, pinned ? this.clock.now() : null);
      await this.journal.append(tx, actor, {
        action: pinned ? 'memory.lesson_pinned' : 'memory.lesson_unpinned',
        subject: { type: 'memory', id },
      });
      return updated;
    });
  }

  /** Ends a lesson and its copies at other agents. The lesson cannot be restored. */
  retire(actor: ReviewerActor | AdminActor, id: string, reason: string): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.lockLesson(tx, id);
      const now = this.clock.now();
      await this.memories.supersede(tx, [id], null, now, 'retired');
      await this.journal.append(tx, actor, {
        action: 'memory.lesson_retired',
        subject: { type: 'memory', id },
        data: { reason, provenance: lesson.provenance },
      });
      return { ...lesson, supersededAt: now.toISOString(), endReason: 'retired' };
    });
  }

  /**
   * Records a reviewer's verdict and moves the provenance to `verified` or `unverified`. A reviewer's verdict outranks
   * all other evidence until a reviewer gives another one, so it is recorded even if the provenance does not change.
   * The lesson stays private.
   */
  verify(reviewer: ReviewerActor, id: string, { provenance, reason }: VerifyLesson): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.lockLesson(tx, id);
      await this.requireOriginal(tx, lesson, provenance);
      const event = provenance === 'verified' ? 'promote' : 'demote';
      const stance = provenance === 'verified' ? 'supports' : 'contradicts';
      const verdicts = (await this.evidence.findByMemory(tx, id)).filter(({ kind }) => kind === 'person');
      if (lesson.provenance === provenance && verdicts.at(-1)?.stance === stance)
        throw new DomainError('conflict', 'memory.provenance_unchanged', `The lesson is already ${lesson.provenance}.`);
      await this.evidence.add(tx, {
        id: this.ids.uuid(),
        memoryId: id,
        kind: 'person',
        stance,
        source: reviewer.id,
        whole: true,
        ...FROM_NO_EXECUTION,
        reason: redact(reason).text,
        at: this.clock.now(),
      });
      const to = await this.provenances.changeWithCopies(tx, reviewer, lesson, { event, source: 'reviewer', reason });
      if (to !== undefined) return { ...lesson, provenance: to };
      await this.journal.append(tx, reviewer, {
        action: 'memory.provenance_confirmed',
        subject: { type: 'memory', id },
        data: { provenance: lesson.provenance, source: 'reviewer', reason },
      });
      return lesson;
    });
  }

  /** A verdict on a copy would part it from its original. Only a copy whose original has ended can be demoted alone. */
  private async requireOriginal(tx: Tx, { propagatedFromId }: MemoryEntry, to: Provenance): Promise<void> {
    if (propagatedFromId === null) return;
    const original = await this.memories.find(tx, propagatedFromId);
    if (to !== 'verified' && original?.supersededAt !== null) return;
    throw new DomainError(
      'conflict',
      'memory.is_copy',
      `The lesson is a copy and is worth what ${propagatedFromId} is worth. Give your verdict on that one.`,
    );
  }

  /** Locks the lesson until the transaction ends. Throws `not_found` for org memory, which is not a lesson. */
  private async lockLesson(tx: Tx, id: string): Promise<MemoryEntry> {
    const lesson = (await this.memories.lockLive(tx, id)) ? await this.memories.find(tx, id) : undefined;
    if (lesson?.scope !== 'agent')
      throw new DomainError('not_found', 'memory.unknown_lesson', `There is no live lesson ${id}.`);
    return lesson;
  }
}
