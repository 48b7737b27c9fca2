import { Injectable } from '@nestjs/common';
import type { JobActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { canonicalJson, sha256 } from '../platform/canonical-json.js';
import { Clock } from '../platform/clock.js';
import { Database, type Tx } from '../platform/database.js';
import { Ids } from '../platform/ids.js';
import type { Sanitized } from '../untrusted/redact-deep.js';
import type { Lesson } from './lesson.schema.js';
import { MemoryRepository } from './memory.repository.js';
import type { LessonList, LessonQuery, MemoryEntry } from './memory.schema.js';

export interface ExtractedLesson {
  readonly agentId: string;
  readonly executionId: string;
  readonly sessionId: string | null;
  readonly kind: 'failure' | 'success';
  readonly lesson: Sanitized<Lesson>;
  readonly proposer: string;
  readonly awaitingProposer: boolean;
  readonly cost?: { readonly inputTokens: number; readonly outputTokens: number };
}

/** Lessons of one agent: private, and unverified whoever proposed them (spec L7). */
@Injectable()
export class Lessons {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
  ) {}

  /** Stores a lesson in the proposer's transaction; an earlier one of the same session becomes a tombstone (L1). */
  async learn(tx: Tx, actor: JobActor, extracted: ExtractedLesson): Promise<MemoryEntry> {
    const { lesson, kind, sessionId, executionId, cost, ...rest } = extracted;
    const now = this.clock.now();
    const replaced = sessionId ? await this.memories.liveOfSession(tx, extracted.agentId, sessionId) : [];
    const entry = await this.memories.create(tx, {
      ...rest,
      id: this.ids.uuid(),
      scope: 'AGENT',
      lesson,
      controlTags: ['non-inferable', ...(kind === 'success' ? ['success-derived'] : [])],
      provenance: 'unverified',
      sourceExecutionId: executionId,
      contentSha256: sha256(canonicalJson(lesson)),
      createdAt: now,
      ...(sessionId ? { sessionId } : {}),
      ...(cost ? { cost } : {}),
    });
    await this.memories.supersede(tx, replaced, entry.id, now);
    await this.journal.append(tx, actor, {
      action: 'memory.lesson_extracted',
      subject: { type: 'memory', id: entry.id },
      data: {
        agent: extracted.agentId,
        execution: executionId,
        proposer: extracted.proposer,
        provenance: 'unverified',
        contentSha256: entry.contentSha256,
        replaced,
      },
    });
    return entry;
  }

  async list(query: LessonQuery): Promise<LessonList> {
    const { agent, limit } = query;
    const items = await this.memories.list(this.database.client, 'AGENT', {
      limit,
      ...(agent ? { agentId: agent } : {}),
    });
    return { items, total: await this.memories.count(this.database.client, 'AGENT') };
  }
}
