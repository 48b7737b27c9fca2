import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { VerifierAvailability } from '../provenance/verifier-availability.service.js';
import type { Lesson } from '../store/lesson.schema.js';
import { type MemoryCount, MemoryRepository } from '../store/memory.repository.js';
import type { LessonCost, LessonList, LessonQuery, MemoryEntry } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';

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
  /**
   * Id of the placeholder that this lesson replaces. If the placeholder has ended, this lesson is too late and is not
   * stored.
   */
  readonly replaces?: string;
}

/** Private lessons of agents. They start unverified, whichever proposer wrote them. */
@Injectable()
export class Lessons {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly verifier: VerifierAvailability,
  ) {}

  /**
   * Stores a lesson in the proposer's transaction and supersedes its placeholder and any earlier lesson of the same
   * session, because a session holds one live lesson. Returns undefined if the placeholder has ended.
   */
  async storeExtracted(tx: Tx, actor: JobActor, extracted: ExtractedLesson): Promise<MemoryEntry | undefined> {
    const { lesson, kind, sessionId, executionId, cost, replaces, ...rest } = extracted;
    const now = this.clock.now();
    const provenance = provenanceOf(
      null,
      this.verifier.isUnavailable() ? 'write_without_verifier' : 'write',
      actor.kind,
    );
    if (replaces && (await this.memories.supersede(tx, [replaces], rest.id, now)) === 0) return undefined;
    const earlier = sessionId ? await this.memories.liveOfSession(tx, extracted.agentId, sessionId) : [];
    const entry = await this.memories.create(tx, {
      ...rest,
      scope: 'agent',
      lesson,
      controlTags: ['non-inferable', ...(kind === 'success' ? ['success-derived'] : [])],
      provenance,
      sourceExecutionId: executionId,
      contentSha256: sha256(canonicalJson(lesson)),
      createdAt: now,
      ...(sessionId ? { sessionId } : {}),
      ...(cost ? { cost } : {}),
    });
    if (earlier.length > 0) await this.memories.supersede(tx, earlier, entry.id, now);
    await this.journal.append(tx, actor, {
      action: 'memory.lesson_extracted',
      subject: { type: 'memory', id: entry.id },
      data: {
        agent: extracted.agentId,
        execution: executionId,
        proposer: extracted.proposer,
        provenance,
        contentSha256: entry.contentSha256,
        replaced: [...(replaces ? [replaces] : []), ...earlier],
      },
    });
    return entry;
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

  async list(query: LessonQuery): Promise<LessonList> {
    const { agent, limit } = query;
    const items = await this.memories.list(this.database.client, 'agent', {
      limit,
      ...(agent ? { agentId: agent } : {}),
    });
    return { items, total: await this.memories.count(this.database.client, 'agent') };
  }
}
