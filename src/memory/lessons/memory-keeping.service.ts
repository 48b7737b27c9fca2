import { Injectable } from '@nestjs/common';
import { type Caller, canAdminister } from '../../access/identity/caller.js';
import { isStatedOwner } from '../../access/identity/stated-owner.js';
import type { Actor, AdminActor, OwnerActor, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { FROM_NO_EXECUTION } from '../provenance/evidence.schema.js';
import { MemoryEvidenceRepository } from '../provenance/memory-evidence.repository.js';
import { ProvenanceChanges } from '../provenance/provenance-changes.service.js';
import { Lesson, type Provenance } from '../store/lesson.schema.js';
import { CORRECTED_BY_PERSON, MemoryRepository } from '../store/memory.repository.js';
import type { CorrectLesson, MemoryEntry, VerifyLesson } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';
import { type NoteQuestion, withoutContradictions } from './kept-note.js';
import { type KeptMemory, LessonRepository } from './lesson.repository.js';
import { WitnessRepository } from './witness.repository.js';

/** What the journal and refusals call what an agent knows, by its scope. */
const NAMES = {
  agent: { noun: 'lesson', subject: 'memory', unknown: 'memory.unknown_lesson' },
  project: { noun: 'entry', subject: 'session_entry', unknown: 'memory.unknown_entry' },
} as const;
type OwnScope = keyof typeof NAMES;

/** Most pairs that are read at once. */
const MOST_QUESTIONS = 1_000;

/** Actions of people on what one agent knows: lessons and notes, and entries of its session memory. */
@Injectable()
export class MemoryKeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly lessons: LessonRepository,
    private readonly witnesses: WitnessRepository,
    private readonly evidence: MemoryEvidenceRepository,
    private readonly provenances: ProvenanceChanges,
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
  correct(caller: Caller, id: string, { reason, ...change }: CorrectLesson): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const { actor, agentId } = await this.lock(tx, caller, id, 'agent');
      const lesson = await this.liveLesson(tx, id);
      const corrected = redactDeep(correctedLesson(lesson.lesson, change)).value;
      if (!Lesson.safeParse(corrected).success)
        throw new DomainError('invalid', 'memory.unusable_text', 'The correction holds no text that can be stored.');
      const contentSha256 = sha256(canonicalJson(corrected));
      if (canonicalJson(corrected) === canonicalJson(lesson.lesson)) throw unchanged();
      const now = this.clock.now();
      const entry = await this.memories.create(tx, {
        ...(await this.memories.originOf(tx, id)),
        id: this.ids.uuid(),
        scope: 'agent',
        category: lesson.category,
        agentId,
        lesson: corrected,
        controlTags: withoutContradictions(lesson.controlTags),
        provenance: provenanceOf(null, 'write', actor.kind),
        proposer: CORRECTED_BY_PERSON,
        contentSha256,
        createdAt: now,
      });
      await this.memories.supersede(tx, [id], entry.id, now, 'corrected');
      await this.witnesses.move(tx, [id], entry.id);
      const data = { agent: agentId, reason: redact(reason).text, replaced: id, contentSha256 };
      await this.record(tx, actor, 'memory.lesson_corrected', entry.id, data);
      return (await this.memories.find(tx, entry.id)) ?? entry;
    });
  }

  /** Ends a live lesson or entry and its copies, and erases their texts and those of what ended because it says the same. */
  delete(caller: Caller, id: string, reason: string, scope: OwnScope): Promise<void> {
    return this.database.transaction(async (tx) => {
      const { actor, agentId, contentSha256 } = await this.lock(tx, caller, id, scope);
      await this.memories.supersede(tx, [id], null, this.clock.now(), 'deleted');
      await this.lessons.erase(tx, id);
      const action = scope === 'agent' ? 'memory.lesson_deleted' : 'session.entry_deleted';
      await this.record(tx, actor, action, id, { agent: agentId, reason: redact(reason).text, contentSha256 }, scope);
    });
  }

  /** Locks what the agent knows and the live memory, once the person is known to keep it. */
  async lock(tx: Tx, caller: Caller, id: string, scope: OwnScope): Promise<KeptMemory & { actor: Keeper }> {
    const known = await this.lessons.kept(tx, id, scope);
    if (known === undefined) throw unknownMemory(id, scope);
    const actor = memoryKeeper(caller, known.owner);
    await this.memories.lockAgent(tx, known.agentId);
    const kept = (await this.memories.lock(tx, id)) ? await this.lessons.kept(tx, id, scope) : undefined;
    if (kept === undefined) throw unknownMemory(id, scope);
    return { ...kept, actor };
  }

  pin(actor: ReviewerActor | AdminActor, id: string, pinned: boolean): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.liveLesson(tx, id);
      if (lesson.pinned === pinned) return lesson;
      const updated = await this.memories.setPinned(tx, id, pinned ? this.clock.now() : null);
      await this.record(tx, actor, pinned ? 'memory.lesson_pinned' : 'memory.lesson_unpinned', id);
      return updated;
    });
  }

  /** Ends a lesson and its copies at other agents. The lesson cannot be restored. */
  retire(actor: ReviewerActor | AdminActor, id: string, reason: string): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const lesson = await this.liveLesson(tx, id);
      const now = this.clock.now();
      await this.memories.supersede(tx, [id], null, now, 'retired');
      await this.record(tx, actor, 'memory.lesson_retired', id, { reason, provenance: lesson.provenance });
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
      const lesson = await this.liveLesson(tx, id);
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
      const data = { provenance: lesson.provenance, source: 'reviewer', reason };
      await this.record(tx, reviewer, 'memory.provenance_confirmed', id, data);
      return lesson;
    });
  }

  /** Notes that contradict each other, of the agents that this person keeps, the newest first. */
  questions(caller: Caller): Promise<NoteQuestion[]> {
    const names = [caller.name, caller.email].filter((one) => one !== null);
    const owners = canAdminister(caller) ? undefined : names;
    return this.lessons.questions(this.database.client, owners, MOST_QUESTIONS);
  }

  /**
   * What entries of an agent say, by id, ended ones included, without those that a person deleted. Undefined for someone
   * who keeps no memory of this agent: only its owner and administrators read it.
   */
  async entryTexts(caller: Caller, agentId: string, ids: readonly string[]) {
    const { client } = this.database;
    const mayRead = keeperOf(caller, await this.lessons.ownerOf(client, agentId)) !== undefined;
    return mayRead ? this.lessons.entryTexts(client, agentId, ids) : undefined;
  }

  /** How many entries are ended by a run; of one that was undone, those that it could not restore. */
  entriesEndedBy(run: string): Promise<number> {
    return this.memories.entriesEndedBy(this.database.client, run);
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
  private async liveLesson(tx: Tx, id: string): Promise<MemoryEntry> {
    const lesson = await this.memories.lockLive(tx, id);
    if (lesson?.scope !== 'agent') throw unknownMemory(id, 'agent');
    return lesson;
  }

  /** A journal entry about a lesson or an entry. */
  record(tx: Tx, actor: Actor, action: string, id: string, data?: object, scope: OwnScope = 'agent') {
    const subject = { type: NAMES[scope].subject, id };
    return this.journal.append(tx, actor, { action, subject, ...(data ? { data: { ...data } } : {}) });
  }
}

type Keeper = AdminActor | OwnerActor;

/**
 * The person as the keeper of what an agent knows: the agent's owner, who is stated by name or e-mail address in any case,
 * or an administrator. Throws `forbidden` for everyone else.
 */
export function memoryKeeper(caller: Caller, owner: string | null): Keeper {
  const keeper = keeperOf(caller, owner);
  if (keeper !== undefined) return keeper;
  const message = "Only the agent's owner or an administrator reads and changes what it knows.";
  throw new DomainError('forbidden', 'memory.not_owner', message);
}

function keeperOf(caller: Caller, owner: string | null): Keeper | undefined {
  const { id, name, kind } = caller;
  if (kind !== 'person') return undefined;
  if (isStatedOwner(caller, owner)) return { kind: 'owner', id, name };
  return canAdminister(caller) ? { kind: 'admin', id, name } : undefined;
}

export function unknownMemory(id: string, scope: OwnScope): DomainError {
  const { noun, unknown } = NAMES[scope];
  return new DomainError('not_found', unknown, `There is no live ${noun} ${id} that you can see.`);
}

export const unchanged = (): DomainError =>
  new DomainError('conflict', 'memory.unchanged', 'The correction changes nothing.');

function correctedLesson(lesson: Lesson, change: Omit<CorrectLesson, 'reason'>): Lesson {
  const { cause: known, ...rest } = lesson;
  const { cause = known ?? null, discovery, condition, action, rationale, steps, tags } = change;
  const { activation } = lesson;
  return {
    ...rest,
    discovery: discovery ?? lesson.discovery,
    activation: {
      condition: condition ?? activation.condition,
      action: action ?? activation.action,
      rationale: rationale ?? activation.rationale,
    },
    steps: steps ?? lesson.steps,
    tags: tags ?? lesson.tags,
    ...(cause === null ? {} : { cause }),
  };
}
