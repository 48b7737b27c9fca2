import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { Ids } from '../platform/base/ids.js';
import { Database } from '../platform/database/database.js';
import { ConsolidationRunRepository } from './consolidation-run.repository.js';
import type { ConsolidationPause, ConsolidationPauseList, NewConsolidationPause } from './consolidation-run.schema.js';

/** Agents whose memory stays as it is until an administrator resumes the consolidation. */
@Injectable()
export class ConsolidationPauses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly repository: ConsolidationRunRepository,
  ) {}

  async list(): Promise<ConsolidationPauseList> {
    const pauses = await this.repository.pauses(this.database.client);
    return { items: pauses.map(({ createdAt, ...pause }) => ({ ...pause, since: createdAt.toISOString() })) };
  }

  /** Pauses one agent, or all of them. Throws a conflict if that is paused already. */
  pause(actor: AdminActor, { agentId }: NewConsolidationPause): Promise<ConsolidationPause> {
    return this.database.transaction(async (tx) => {
      const agent = agentId === undefined ? undefined : await this.repository.agent(tx, agentId);
      if (agentId !== undefined && !agent)
        throw new DomainError('not_found', 'access.unknown_agent', `There is no agent ${agentId}.`);
      const pause = { id: this.ids.uuid(), agentId: agentId ?? null, createdAt: this.clock.now() };
      if (!(await this.repository.insertPause(tx, pause)))
        throw new DomainError('conflict', 'consolidation.already_paused', 'This is paused already.');
      await this.journal.append(tx, actor, {
        action: 'consolidation.paused',
        subject: { type: 'consolidation_pause', id: pause.id },
        data: { agent: pause.agentId },
      });
      return { id: pause.id, agentId: pause.agentId, agent: agent?.name ?? null, since: pause.createdAt.toISOString() };
    });
  }

  /** Throws `not_found` if it was resumed before. */
  resume(actor: AdminActor, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const ended = await this.repository.deletePause(tx, id);
      if (!ended) throw new DomainError('not_found', 'consolidation.pause_not_found', `There is no pause ${id}.`);
      await this.journal.append(tx, actor, {
        action: 'consolidation.resumed',
        subject: { type: 'consolidation_pause', id },
        data: { agent: ended.agentId },
      });
    });
  }
}
