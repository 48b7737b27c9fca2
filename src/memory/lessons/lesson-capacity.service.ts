import { Inject, Injectable } from '@nestjs/common';
import type { AgentActor, JobActor } from '../../journal/actor.js';
import { type AttributedRecord, Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { LessonRepository } from './lesson.repository.js';
import type { LessonEnd } from './retention-candidate.js';

/** An agent's store after something was written to it, and the ids of that. */
export interface WrittenStore {
  readonly actor: AgentActor | JobActor;
  readonly agentId: string;
  readonly written: readonly string[];
}

/** Keeps the stores of agents within their capacity when something is written, as the upkeep does on its schedule. */
@Injectable()
export class LessonCapacity {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'memoryCapacity'>,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly lessons: LessonRepository,
  ) {}

  /**
   * Ends the least relevant lessons above the capacity of each agent, in the order of the upkeep's eviction. What was just
   * written, what is pinned and what waits for the proposer stays, also if the store stays too large by that.
   */
  async makeRoom(tx: Tx, stores: readonly WrittenStore[]): Promise<void> {
    const { memoryCapacity: capacity } = this.config;
    const at = this.clock.now();
    const records: AttributedRecord[] = [];
    // All rows are locked before the journal's head, as in every transaction.
    for (const { actor, agentId, written } of stores) {
      const evicted = await this.lessons.evict(tx, agentId, { capacity, written, at });
      const lessons = evicted.map((id): LessonEnd => ({ id, why: 'evicted' }));
      const subject = { type: 'agent', id: agentId };
      if (lessons.length > 0) records.push({ actor, action: 'memory.lessons_pruned', subject, data: { lessons } });
    }
    await this.journal.appendAll(tx, records);
  }
}
