import { Inject, Injectable } from '@nestjs/common';
import { type AgentActor, type JobActor, jobActor } from '../../journal/actor.js';
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

const ENTRY_CAPACITY = jobActor('session-memory-capacity');

/** Keeps what agents know within its capacity when something is written, as the upkeep does on its schedule. */
@Injectable()
export class MemoryCapacity {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'memoryCapacity' | 'sessionMemoryCapacity'>,
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
      const { evicted } = await this.lessons.evict(tx, { agentId }, { capacity, written, at });
      const lessons = evicted.map((id): LessonEnd => ({ id, why: 'evicted' }));
      const subject = { type: 'agent', id: agentId };
      if (lessons.length > 0) records.push({ actor, action: 'memory.lessons_pruned', subject, data: { lessons } });
    }
    await this.journal.appendAll(tx, records);
  }

  /** Most entries of one agent and project. */
  get mostEntries(): number {
    return this.config.sessionMemoryCapacity;
  }

  /**
   * Makes room for one entry of an agent and project: of the writer that has the most of them, the one that was recalled
   * longest ago becomes a tombstone. Pinned entries stay. Returns false if all are pinned. Only under the lock of the agent.
   */
  async makeRoomForEntry(tx: Tx, agentId: string, project: string | null): Promise<boolean> {
    const room = { capacity: this.mostEntries - 1, at: this.clock.now() };
    const { evicted, above } = await this.lessons.evict(tx, { agentId, project }, room);
    const data = { agent: agentId, capacity: this.mostEntries };
    await this.journal.appendAll(
      tx,
      evicted.map((id) => ({
        actor: ENTRY_CAPACITY,
        action: 'session.entry_evicted',
        subject: { type: 'session_entry', id },
        data,
      })),
    );
    return above === 0;
  }
}
