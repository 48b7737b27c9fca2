import { Injectable } from '@nestjs/common';
import { type AgentGroup, groupName, reviewScopeCovers } from '../../access/identity/review-scope.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry, ShareLesson } from '../store/memory.schema.js';
import { MemorySourceRepository } from '../store/memory-source.repository.js';
import { copyOf } from './propagation.strategy.js';
import { UpkeepRepository } from './upkeep.repository.js';

/**
 * The writer of ROLE and DEPARTMENT memory: a reviewer for the whole group shares an agent's lesson with it. One row for
 * all agents of the group, now and later, so a person decides; the database requires the same.
 */
@Injectable()
export class LessonSharing {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly sources: MemorySourceRepository,
    private readonly agents: UpkeepRepository,
  ) {}

  /**
   * Shares a live lesson with the role or the department of its agent. The shared one is worth what the lesson is worth,
   * and ends with it. Sharing is no verdict: an unverified lesson stays unverified.
   */
  share(reviewer: ReviewerActor, id: string, { scope, reason }: ShareLesson): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const { source, agentId } = await this.lockSource(tx, id);
      const group = await this.groupOf(tx, agentId, scope);
      requireCovered(reviewer, group);
      if ((await this.memories.sharedFrom(tx, id)).some((one) => one.scope === scope))
        throw new DomainError('conflict', 'memory.already_shared', `The lesson is already shared with this ${scope}.`);
      const copy = copyOf(source, reviewer.kind);
      if (!copy)
        throw new DomainError(
          'invalid',
          'memory.unusable_text',
          'Without names of its agent, no text is left to share.',
        );
      const shared = await this.memories.create(tx, {
        ...copy,
        id: this.ids.uuid(),
        scope,
        ...(group.role === null ? {} : { role: group.role }),
        ...(group.department === null ? {} : { department: group.department }),
        createdAt: this.clock.now(),
        sharedById: reviewer.id,
      });
      await this.sources.inherit(tx, shared.id, source.id);
      await this.journal.append(tx, reviewer, {
        action: 'memory.lesson_shared',
        subject: { type: 'memory', id: shared.id },
        data: {
          source: id,
          from: agentId,
          scope,
          ...group,
          provenance: copy.provenance,
          contentSha256: copy.contentSha256,
          reason: redact(reason).text,
        },
      });
      return shared;
    });
  }

  /** Ends a shared lesson. Its source stays with its agent. */
  unshare(reviewer: ReviewerActor, id: string, reason: string): Promise<MemoryEntry> {
    return this.database.transaction(async (tx) => {
      const shared = await this.memories.lockLive(tx, id);
      if (shared === undefined || (shared.scope !== 'role' && shared.scope !== 'department'))
        throw new DomainError('not_found', 'memory.unknown_lesson', `There is no live shared lesson ${id}.`);
      requireCovered(reviewer, { role: shared.role, department: shared.department });
      await this.memories.supersede(tx, [id], null, this.clock.now(), 'unshared');
      await this.journal.append(tx, reviewer, {
        action: 'memory.lesson_unshared',
        subject: { type: 'memory', id },
        data: { source: shared.propagatedFromId, reason: redact(reason).text },
      });
      return (await this.memories.find(tx, id)) ?? shared;
    });
  }

  /** Locks a live procedure of one agent, which is neither a copy nor a placeholder. */
  private async lockSource(tx: Tx, id: string): Promise<{ source: MemoryEntry; agentId: string }> {
    const source = await this.memories.lockLive(tx, id);
    if (source?.scope !== 'agent' || source.agentId === null)
      throw new DomainError('not_found', 'memory.unknown_lesson', `There is no live lesson ${id}.`);
    if (source.propagatedFromId !== null)
      throw new DomainError('conflict', 'memory.is_copy', `The lesson is a copy: share ${source.propagatedFromId}.`);
    if (source.category !== 'PROCEDURAL' || source.awaitingProposer)
      throw new DomainError(
        'conflict',
        'memory.not_shareable',
        'Only procedures that are not placeholders are shared.',
      );
    return { source, agentId: source.agentId };
  }

  private async groupOf(tx: Tx, agentId: string, scope: ShareLesson['scope']): Promise<AgentGroup> {
    const agent = await this.agents.membership(tx, agentId);
    const name = agent?.[scope] ?? null;
    if (name === null)
      throw new DomainError('conflict', 'memory.agent_without_group', `The agent of the lesson has no ${scope}.`);
    return { role: null, department: null, [scope]: name };
  }
}

function requireCovered(reviewer: ReviewerActor, group: AgentGroup): void {
  if (reviewScopeCovers(reviewer.reviewScope, [group])) return;
  throw new DomainError(
    'forbidden',
    'memory.outside_review_scope',
    `Your review scope does not cover all agents of ${groupName(group)}.`,
  );
}
