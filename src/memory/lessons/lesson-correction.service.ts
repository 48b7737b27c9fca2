import { Injectable } from '@nestjs/common';
import type { AdminActor, OwnerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { Lesson } from '../store/lesson.schema.js';
import { CORRECTED_BY_PERSON, MemoryRepository } from '../store/memory.repository.js';
import type { CorrectLesson, MemoryEntry } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';
import { withoutContradictions } from './kept-note.js';
import { LessonRepository } from './lesson.repository.js';
import { lessonKeeper, type SignedInPerson } from './lesson-owner.js';
import { WitnessRepository } from './witness.repository.js';

/** Corrections and deletions by the owner of the agent that a lesson belongs to, or by an administrator. */
@Injectable()
export class LessonCorrection {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly lessons: LessonRepository,
    private readonly witnesses: WitnessRepository,
  ) {}

  /** Throws `not_found` if there is no such lesson, live or ended. */
  async show(id: string): Promise<MemoryEntry> {
    const lesson = await this.memories.find(this.database.client, id);
    if (lesson === undefined || lesson.scope === 'org')
      throw new DomainError('not_found', 'memory.unknown_lesson', `There is no lesson ${id}.`);
    return lesson;
  }

  /**
   * Replaces a live lesson by the corrected one, which is unverified: no evidence is about its new words. It keeps the
   * witnesses and the example. Copies at other agents end.
   */
  correct(person: SignedInPerson, id: string, { reason, ...change }: CorrectLesson): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const { lesson, actor, agentId } = await this.lock(tx, person, id);
      const corrected = redactDeep(correctedLesson(lesson.lesson, change)).value;
      if (!Lesson.safeParse(corrected).success)
        throw new DomainError('invalid', 'memory.unusable_text', 'The correction holds no text that can be stored.');
      const contentSha256 = sha256(canonicalJson(corrected));
      if (canonicalJson(corrected) === canonicalJson(lesson.lesson))
        throw new DomainError('conflict', 'memory.unchanged', 'The correction changes nothing.');
      const now = this.clock.now();
      const entry = await this.memories.create(tx, {
        ...(await this.lessons.originOf(tx, id)),
        id: this.ids.uuid(),
        scope: 'agent',
        category: lesson.category,
        agentId,
        lesson: corrected,
        controlTags: withoutContradictions(lesson.controlTags),
        provenance: provenanceOf(null, 'write', actor.kind),
        proposer: CORRECTED_BY_PERSON,
        awaitingProposer: false,
        contentSha256,
        createdAt: now,
        ...(lesson.sourceExecutionId ? { sourceExecutionId: lesson.sourceExecutionId } : {}),
      });
      await this.memories.supersede(tx, [id], entry.id, now, 'corrected');
      await this.witnesses.move(tx, [id], entry.id);
      await this.record(tx, actor, 'memory.lesson_corrected', entry.id, {
        agent: agentId,
        reason,
        replaced: id,
        contentSha256,
      });
      return (await this.memories.find(tx, entry.id)) ?? entry;
    });
  }

  /** Ends a live lesson and its copies, and erases their texts. */
  delete(person: SignedInPerson, id: string, reason: string): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const { lesson, actor, agentId } = await this.lock(tx, person, id);
      await this.memories.supersede(tx, [id], null, this.clock.now(), 'deleted');
      await this.lessons.erase(tx, id);
      await this.record(tx, actor, 'memory.lesson_deleted', id, {
        agent: agentId,
        reason,
        contentSha256: lesson.contentSha256,
      });
      return (await this.memories.find(tx, id)) ?? lesson;
    });
  }

  /** Locks the live lesson, once the person is known to keep the lessons of its agent. */
  private async lock(tx: Tx, person: SignedInPerson, id: string) {
    const known = await this.memories.find(tx, id);
    if (known?.scope !== 'agent' || known.agentId === null) throw unknownLesson(id);
    const actor = lessonKeeper(person, await this.lessons.ownerOf(tx, known.agentId));
    await this.memories.lockAgent(tx, known.agentId);
    const lesson = (await this.memories.lockLive(tx, id)) ? await this.memories.find(tx, id) : undefined;
    if (lesson === undefined) throw unknownLesson(id);
    return { lesson, actor, agentId: known.agentId };
  }

  private record(
    tx: Tx,
    actor: AdminActor | OwnerActor,
    action: string,
    id: string,
    data: {
      readonly agent: string;
      readonly reason: string;
      readonly contentSha256: string;
      readonly replaced?: string;
    },
  ) {
    const reason = redact(data.reason).text;
    return this.journal.append(tx, actor, { action, subject: { type: 'memory', id }, data: { ...data, reason } });
  }
}

const unknownLesson = (id: string): DomainError =>
  new DomainError('not_found', 'memory.unknown_lesson', `There is no live lesson ${id}.`);

function correctedLesson(lesson: Lesson, change: Omit<CorrectLesson, 'reason'>): Lesson {
  const { cause: known, ...rest } = lesson;
  const { cause = known ?? null, discovery, condition, action, rationale, steps, tags } = change;
  return {
    ...rest,
    ...(discovery === undefined ? {} : { discovery }),
    activation: {
      condition: condition ?? lesson.activation.condition,
      action: action ?? lesson.activation.action,
      rationale: rationale ?? lesson.activation.rationale,
    },
    ...(steps === undefined ? {} : { steps }),
    ...(tags === undefined ? {} : { tags }),
    ...(cause === null ? {} : { cause }),
  };
}
