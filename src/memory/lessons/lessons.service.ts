import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { VerifierAvailability } from '../provenance/verifier-availability.service.js';
import type { Lesson, Provenance } from '../store/lesson.schema.js';
import { type MemoryCount, MemoryRepository } from '../store/memory.repository.js';
import type { LessonCost, LessonList, LessonQuery } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';
import { LessonRepository } from './lesson.repository.js';
import { LessonCapacity } from './lesson-capacity.service.js';
import { StoredLessons } from './stored-lessons.service.js';
import type { LessonKeys, SessionExecution } from './witness.js';
import { type SameLesson, WitnessRepository } from './witness.repository.js';

export type { MemoryCount as MemoryTally } from '../store/memory.repository.js';

export interface ExtractedLesson {
  readonly id: string;
  readonly agentId: string;
  readonly executionId: string;
  readonly sessionId: string | null;
  readonly kind: 'failure' | 'success';
  readonly lesson: Sanitized<Lesson>;
  readonly proposer: string;
  readonly awaitingProposer: boolean;
  readonly cost?: LessonCost;
  /** Without keys, the lesson is compared with no other. */
  readonly keys?: LessonKeys;
  /**
   * Id of the placeholder that this lesson replaces. If the placeholder has ended, this lesson is too late and is not
   * stored.
   */
  readonly replaces?: string;
}

/** The stored lesson, or the live one that says the same and has a further witness. */
export interface LearnedLesson {
  readonly id: string;
  readonly isNew: boolean;
}

const BY_RULES = /^rules\//;

/** Private lessons of agents. They start unverified, whichever proposer wrote them. */
@Injectable()
export class Lessons {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly verifier: VerifierAvailability,
    private readonly witnesses: WitnessRepository,
    private readonly lessons: LessonRepository,
    private readonly capacity: LessonCapacity,
    private readonly stored: StoredLessons,
  ) {}

  /**
   * Stores a lesson in the proposer's transaction. It supersedes its placeholder, any earlier lesson of the same session,
   * because a session teaches once, and lessons that nothing overcomes the failure that it overcomes. If a live lesson of
   * the agent says the same, that one gains a witness instead. Returns undefined if the placeholder has ended.
   */
  async storeExtracted(tx: Tx, actor: JobActor, extracted: ExtractedLesson): Promise<LearnedLesson | undefined> {
    const { replaces, keys, agentId, sessionId, executionId } = extracted;
    const now = this.clock.now();
    await this.witnesses.lockAgent(tx, agentId);
    const same = keys ? await this.witnesses.findSame(tx, agentId, keys, replaces) : undefined;
    const isKept = same !== undefined && !isImprovedBy(same, extracted);
    const id = isKept ? same.id : extracted.id;
    if (replaces && (await this.memories.supersede(tx, [replaces], id, now)) === 0) return undefined;
    if (!isKept) await this.create(tx, extracted, now);
    const ended = [
      ...(sessionId ? await this.leaveSession(tx, { agentId, sessionId, executionId }, id) : []),
      ...(keys && keys.remedyKey !== null ? await this.witnesses.findUnresolved(tx, agentId, keys.failureKey) : []),
      ...(same && !isKept ? [same.id] : []),
    ];
    const replaced = [...new Set([...(replaces ? [replaces] : []), ...ended])];
    await this.memories.supersede(tx, ended, id, now);
    await this.witnesses.move(tx, [...(replaces ? [replaces] : []), ...(same && !isKept ? [same.id] : [])], id);
    await this.witnesses.add(tx, id, { executionId, sessionId }, now);
    if (!isKept) await this.capacity.makeRoom(tx, [{ actor, agentId, written: [id] }]);
    await this.journalLearned(tx, actor, { ...extracted, id }, { isNew: !isKept, replaced });
    return { id, isNew: !isKept };
  }

  /**
   * Adds a witness to the live lesson that says the same. Returns undefined if there is none, or if `extracted` says it
   * better.
   */
  async addWitness(
    tx: Tx,
    actor: JobActor,
    extracted: ExtractedLesson & { readonly keys: LessonKeys },
  ): Promise<string | undefined> {
    await this.witnesses.lockAgent(tx, extracted.agentId);
    const same = await this.witnesses.findSame(tx, extracted.agentId, extracted.keys);
    if (same === undefined || isImprovedBy(same, extracted)) return undefined;
    return (await this.storeExtracted(tx, actor, extracted))?.id;
  }

  /** Ends lessons that nothing overcame a failure, because a later execution of their session succeeded. */
  async closeUnresolved(tx: Tx, actor: JobActor, sessions: readonly SessionExecution[]): Promise<void> {
    // All locks before the journal's, in one order, so that no two transactions wait for each other.
    for (const agentId of [...new Set(sessions.map((one) => one.agentId))].sort())
      await this.witnesses.lockAgent(tx, agentId);
    const now = this.clock.now();
    for (const session of sessions) {
      for (const { id, elsewhere } of await this.witnesses.findUnresolvedBefore(tx, session)) {
        if (elsewhere > 0) await this.witnesses.removeSession(tx, id, session.sessionId);
        else await this.memories.supersede(tx, [id], null, now, 'overcome_later');
        await this.journal.append(tx, actor, {
          action: elsewhere > 0 ? 'memory.witness_removed' : 'memory.lesson_closed',
          subject: { type: 'memory', id },
          data: {
            agent: session.agentId,
            execution: session.executionId,
            reason: 'a later execution of the session succeeded',
          },
        });
      }
    }
  }

  /** Call it after the commit of what `storeExtracted` or `keepPlaceholder` stored. */
  announce(ids: readonly string[]): void {
    this.stored.announce(ids);
  }

  private async create(tx: Tx, extracted: ExtractedLesson, now: Date): Promise<void> {
    const { lesson, kind, sessionId, executionId, cost, replaces: _, keys, ...rest } = extracted;
    await this.memories.create(tx, {
      ...rest,
      ...keys,
      scope: 'agent',
      lesson,
      controlTags: ['non-inferable', ...(kind === 'success' ? ['success-derived'] : [])],
      provenance: this.provenanceNow(),
      sourceExecutionId: executionId,
      contentSha256: sha256(canonicalJson(lesson)),
      createdAt: now,
      ...(sessionId ? { sessionId } : {}),
      ...(cost ? { cost } : {}),
    });
  }

  /**
   * Returns the earlier lessons of the session that only this session showed; they end. Others lose this session as a
   * witness.
   */
  private async leaveSession(tx: Tx, { agentId, sessionId }: SessionExecution, except: string): Promise<string[]> {
    const earlier = await this.witnesses.findOfSession(tx, agentId, sessionId);
    const others = earlier.filter(({ id }) => id !== except);
    for (const { id, elsewhere } of others) if (elsewhere > 0) await this.witnesses.removeSession(tx, id, sessionId);
    // A later report of one session counts once.
    if (earlier.length > others.length) await this.witnesses.removeSession(tx, except, sessionId);
    return others.filter(({ elsewhere }) => elsewhere === 0).map(({ id }) => id);
  }

  private provenanceNow(): Provenance {
    return provenanceOf(null, this.verifier.isUnavailable() ? 'write_without_verifier' : 'write', 'job');
  }

  private journalLearned(
    tx: Tx,
    actor: JobActor,
    { id, agentId, executionId, proposer, lesson }: ExtractedLesson,
    { isNew, replaced }: { readonly isNew: boolean; readonly replaced: readonly string[] },
  ): Promise<unknown> {
    const data = { agent: agentId, execution: executionId, replaced };
    return this.journal.append(tx, actor, {
      action: isNew ? 'memory.lesson_extracted' : 'memory.lesson_witnessed',
      subject: { type: 'memory', id },
      data: isNew
        ? { ...data, proposer, provenance: this.provenanceNow(), contentSha256: sha256(canonicalJson(lesson)) }
        : data,
    });
  }

  async isLive(id: string, tx: Tx = this.database.client): Promise<boolean> {
    return (await this.memories.find(tx, id))?.supersededAt === null;
  }

  /** Ends a placeholder without a replacement. */
  async discardPlaceholder(tx: Tx, actor: JobActor, id: string, reason: string): Promise<void> {
    if ((await this.memories.supersede(tx, [id], null, this.clock.now(), reason)) === 0) return;
    await this.journal.append(tx, actor, {
      action: 'memory.placeholder_discarded',
      subject: { type: 'memory', id },
      data: { reason },
    });
  }

  /** Keeps a placeholder as the final lesson, for the reason that the proposer gives. */
  async keepPlaceholder(tx: Tx, actor: JobActor, id: string, reason: string): Promise<void> {
    if ((await this.memories.clearAwaitingProposer(tx, id)) === 0) return;
    await this.journal.append(tx, actor, {
      action: 'memory.placeholder_kept',
      subject: { type: 'memory', id },
      data: { reason },
    });
  }

  /** Counts live memories, org memory included, by scope and provenance. */
  countByProvenance(): Promise<MemoryCount[]> {
    return this.memories.countByProvenance(this.database.client);
  }

  list(query: LessonQuery): Promise<LessonList> {
    return this.lessons.list(this.database.client, query);
  }
}

/**
 * Returns whether the new lesson replaces the live one that says the same: a placeholder, or one by rules that a model
 * now wrote. What a person pinned or verified stays.
 */
function isImprovedBy({ proposer, awaitingProposer, pinned, provenance }: SameLesson, by: ExtractedLesson): boolean {
  if (pinned || provenance === 'verified' || by.awaitingProposer) return false;
  return awaitingProposer || (BY_RULES.test(proposer) && !BY_RULES.test(by.proposer));
}
