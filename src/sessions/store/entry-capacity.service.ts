import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { Config } from '../../platform/config/config.js';
import type { Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { SessionEntryRepository } from './session-entry.repository.js';

const CAPACITY = jobActor('session-memory-capacity');

/** Keeps the entries of one agent and project within their number, when one is written. */
@Injectable()
export class EntryCapacity {
  /** Entries of one agent and project. */
  readonly most: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly journal: Journal,
    private readonly entries: SessionEntryRepository,
  ) {
    this.most = config.sessionMemoryCapacity;
  }

  /**
   * Makes room for one entry: the one that was recalled longest ago becomes a tombstone. Pinned entries stay. Returns
   * false if all are pinned. Only under the lock of the agent.
   */
  async makeRoom(tx: Tx, agentId: string, project: string | null, now: Date): Promise<boolean> {
    for (let live = await this.entries.countLive(tx, agentId, project); live >= this.most; live -= 1) {
      const id = await this.entries.leastRecalled(tx, agentId, project);
      if (id === undefined) return false;
      await this.entries.end(tx, id, now, 'capacity');
      await this.journal.append(tx, CAPACITY, {
        action: 'session.entry_evicted',
        subject: { type: 'session_entry', id },
        data: { agent: agentId, capacity: this.most },
      });
    }
    return true;
  }
}
