import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { General } from '../../untrusted/redaction/redact-deep.js';
import { VerifierAvailability } from '../provenance/verifier-availability.service.js';
import { answeredRecords } from '../store/answered-claim.js';
import type { Lesson, Provenance } from '../store/lesson.schema.js';
import { type MemoryCount, MemoryRepository } from '../store/memory.repository.js';
import type { LessonCost, LessonList, LessonQuery } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';
import { LessonRepository } from './lesson.repository.js';
import { MemoryCapacity } from './memory-capacity.service.js';
import { StoredLessons } from './stored-lessons.service.js';
import type { LessonKeys, SessionExecution } from './witness.js';
import { type SameLesson, type SessionLesson, WitnessRepository } from './witness.repository.js';

export type { MemoryCount as MemoryTally } from '../store/memory.repository.js';

export interface ExtractedLesson {
  readonly id: string;
  readonly agentId: string;
  readonly executionId: string;
  readonly sessionId: string | null;
  readonly kind: 'failure' | 'success';
  readonly lesson: General<Lesson>;
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

/** A lesson to store with the id of its row. `outdated`: live lessons that say the same less well. */
interface PlacedLesson {
  readonly id: string;
  /** The row is that of a live lesson that says the same. */
  readonly isKept: boolean;
  readonly written: ExtractedLesson;
  readonly outdated: readonly string[];
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
    private readonly capacity: MemoryCapacity,
    private readonly stored: StoredLessons,
  ) {}

  /**
   * Stores the lessons of an execution in the proposer's transaction: `extracted`, and `others` about its further
   * failures. The first one supersedes its placeholder. Together they supersede the lessons that earlier executions of
   * the session showed, because a session teaches once. They end the agent's claims that nothing
   * overcomes a failure which they do overcome. If a live lesson of the agent says the same, that one gains a witness
   * instead. Returns what became of `extracted`; undefined if its placeholder has ended.
   */
  async storeExtracted(
    tx: Tx,
    actor: JobActor,
    extracted: ExtractedLesson,
    others: readonly ExtractedLesson[] = [],
  ): Promise<LearnedLesson | undefined> {
    const { replaces, agentId, sessionId, executionId } = extracted;
    const now = this.clock.now();
    await this.memories.lockAgent(tx, agentId);
    const first = await this.place(tx, extracted);
    const placed = [first];
    for (const other of others) placed.push(await this.place(tx, other));
    if (replaces && (await this.memories.supersede(tx, [replaces], first.id, now)) === 0) return undefined;
    const ids = placed.map(({ id }) => id);
    for (const { isKept, written } of placed) if (!isKept) await this.create(tx, written, now);
    const left = sessionId ? await this.leaveSession(tx, { agentId, sessionId, executionId }, ids) : [];
    const learned: (PlacedLesson & { readonly replaced: readonly string[] })[] = [];
    for (const one of placed) {
      const ended = one === first ? left : [];
      const { isNewWitness, replaced } = await this.witness(tx, one, ended, now);
      if (isNewWitness || !one.isKept) learned.push({ ...one, replaced });
    }
    const answered = await this.memories.endAnswered(tx, ids, now);
    const written = placed.flatMap(({ id, isKept }) => (isKept ? [] : [id]));
    if (written.length > 0) await this.capacity.makeRoom(tx, [{ actor, agentId, written }]);
    for (const one of learned) await this.journalLearned(tx, actor, one, one.replaced);
    await this.journal.appendAll(tx, answeredRecords(actor, answered));
    return { id: first.id, isNew: !first.isKept };
  }

  /**
   * Adds a witness to the live lesson that says the same, and stores `others`. Returns undefined, and stores nothing, if
   * there is none, or if `extracted` says it better.
   */
  async addWitness(
    tx: Tx,
    actor: JobActor,
    extracted: ExtractedLesson & { readonly keys: LessonKeys },
    others: readonly ExtractedLesson[] = [],
  ): Promise<string | undefined> {
    await this.memories.lockAgent(tx, extracted.agentId);
    const same = await this.witnesses.findSame(tx, extracted.agentId, extracted.keys);
    if (same === undefined || isImprovedBy(same, extracted)) return undefined;
    return (await this.storeExtracted(tx, actor, extracted, others))?.id;
  }

  /** Ends lessons that nothing overcame a failure, because a later execution of their session succeeded. */
  async closeUnresolved(tx: Tx, actor: JobActor, sessions: readonly SessionExecution[]): Promise<void> {
    // All locks before the journal's, in one order, so that no two transactions wait for each other.
    for (const agentId of [...new Set(sessions.map((one) => one.agentId))].sort())
      await this.memories.lockAgent(tx, agentId);
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

  /**
   * Call it after the commit of what `storeExtracted` or `keepPlaceholder` stored. An id without a lesson, because a live
   * one says the same, is ignored.
   */
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

  /** Decides whether a lesson becomes a row of its own, or a live one that says the same is kept. */
  private async place(tx: Tx, written: ExtractedLesson): Promise<PlacedLesson> {
    const { keys, agentId, replaces } = written;
    const same = keys ? await this.witnesses.findSame(tx, agentId, keys, replaces) : undefined;
    if (same === undefined) return { id: written.id, isKept: false, written, outdated: [] };
    if (isImprovedBy(same, written)) return { id: written.id, isKept: false, written, outdated: [same.id] };
    return { id: same.id, isKept: true, written, outdated: [] };
  }

  /** Ends what the lesson replaces, with the lessons in `left`, and counts the execution as its witness. */
  private async witness(
    tx: Tx,
    { id, written, outdated }: PlacedLesson,
    left: readonly string[],
    now: Date,
  ): Promise<{ readonly isNewWitness: boolean; readonly replaced: readonly string[] }> {
    const { replaces, sessionId, executionId } = written;
    const ended = [...left, ...outdated];
    const rewritten = [...(replaces ? [replaces] : []), ...outdated];
    await this.memories.supersede(tx, ended, id, now);
    await this.witnesses.move(tx, rewritten, id);
    const isNewWitness = await this.witnesses.add(tx, id, { executionId, sessionId }, now);
    return { isNewWitness, replaced: [...new Set([...rewritten, ...ended])] };
  }

  /**
   * Returns the lessons that only earlier executions of the session showed; they end. Others lose this session as a
   * witness.
   */
  private async leaveSession(tx: Tx, session: SessionExecution, except: readonly string[]): Promise<string[]> {
    const earlier = await this.witnesses.findOfSession(tx, session);
    const isOnlyHere = ({ id, elsewhere }: SessionLesson): boolean => elsewhere === 0 && !except.includes(id);
    // A later report of one session counts once.
    for (const lesson of earlier)
      if (!isOnlyHere(lesson)) await this.witnesses.removeSession(tx, lesson.id, session.sessionId);
    return earlier.filter(isOnlyHere).map(({ id }) => id);
  }

  private provenanceNow(): Provenance {
    return provenanceOf(null, this.verifier.isUnavailable() ? 'write_without_verifier' : 'write', 'job');
  }

  private journalLearned(
    tx: Tx,
    actor: JobActor,
    { id, isKept, written }: PlacedLesson,
    replaced: readonly string[],
  ): Promise<unknown> {
    const { agentId, executionId, proposer, lesson } = written;
    const data = { agent: agentId, execution: executionId, replaced };
    return this.journal.append(tx, actor, {
      action: isKept ? 'memory.lesson_witnessed' : 'memory.lesson_extracted',
      subject: { type: 'memory', id },
      data: isKept
        ? data
        : { ...data, proposer, provenance: this.provenanceNow(), contentSha256: sha256(canonicalJson(lesson)) },
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
