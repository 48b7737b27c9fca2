import { Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/clock.js';
import { Database, type Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { MemoryRepository } from './memory.repository.js';
import type { JudgeLesson, MemoryEntry } from './memory.schema.js';
import { provenanceAfter } from './provenance.js';

/** What people do with private lessons that are there. */
@Injectable()
export class LessonKeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
  ) {}

  pin(actor: ReviewerActor | AdminActor, id: string, pinned: boolean): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.live(tx, id);
      if (lesson.pinned === pinned) return lesson;
      const kept = await this.memories.setPinned(tx, id, pinned ? this.clock.now() : null);
      await this.journal.append(tx, actor, {
        action: pinned ? 'memory.lesson_pinned' : 'memory.lesson_unpinned',
        subject: { type: 'memory', id },
      });
      return kept;
    });
  }

  /** Ends a lesson for good; its copies end with it. */
  retract(actor: ReviewerActor | AdminActor, id: string, reason: string): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.live(tx, id);
      const now = this.clock.now();
      await this.memories.supersede(tx, [id], null, now, 'retracted');
      await this.journal.append(tx, actor, {
        action: 'memory.lesson_retracted',
        subject: { type: 'memory', id },
        data: { reason, provenance: lesson.provenance },
      });
      return { ...lesson, supersededAt: now.toISOString(), endedBecause: 'retracted' };
    });
  }

  /** A person's word: up to verified, or down (spec L7). Private it stays. */
  judge(reviewer: ReviewerActor, id: string, { provenance, reason }: JudgeLesson): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.live(tx, id);
      const event = provenance === 'verified' ? 'promote' : 'demote';
      const to = provenanceAfter(lesson.provenance, event, reviewer.kind);
      if (to === undefined)
        throw new DomainError('conflict', 'memory.provenance_stands', `The lesson is ${lesson.provenance} already.`);
      const judged = await this.memories.setProvenance(tx, id, to);
      await this.journal.append(tx, reviewer, {
        action: 'memory.provenance_changed',
        subject: { type: 'memory', id },
        data: { from: lesson.provenance, to, source: 'reviewer', reason },
      });
      return judged;
    });
  }

  /** The lesson, held as it is until the transaction ends. Org memory is no lesson, and is not found here. */
  private async live(tx: Tx, id: string): Promise<MemoryEntry> {
    const lesson = (await this.memories.lockLive(tx, id)) ? await this.memories.find(tx, id) : undefined;
    if (lesson?.scope !== 'AGENT')
      throw new DomainError('not_found', 'memory.unknown_lesson', `There is no live lesson ${id}.`);
    return lesson;
  }
}
