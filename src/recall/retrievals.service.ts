import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { MemoryReading } from '../memory/memory-reading.service.js';
import { Clock } from '../platform/clock.js';
import { Database } from '../platform/database.js';
import { BackgroundWork } from '../platform/worker.js';
import { Promoting } from '../promote/promoting.service.js';
import { Promotions } from '../promote/promotions.service.js';
import { redact } from '../untrusted/redact.js';

export interface Retrieval {
  readonly agent: AgentActor;
  readonly sessionId: string | undefined;
  readonly strategy: string;
  readonly ids: readonly string[];
}

interface Noted extends Retrieval {
  readonly at: Date;
}

const BATCH = 100;
/** More than this waits only while the database is away; the oldest go then. */
const MAX_WAITING = 10_000;

/**
 * What agents were told, counted and journalled after the answer: an agent does not wait for it, and a process that is
 * killed loses at most what it had not written yet. What was told decides nothing.
 */
@Injectable()
export class Retrievals extends BackgroundWork {
  private readonly waiting: Noted[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryReading,
    private readonly promotions: Promotions,
    private readonly promoting: Promoting,
  ) {
    super();
  }

  note(retrieval: Retrieval): void {
    if (retrieval.ids.length === 0) return;
    this.waiting.push({ ...retrieval, at: this.clock.now() });
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.ring();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await this.idle();
    await super.beforeApplicationShutdown();
  }

  protected async step(): Promise<boolean> {
    const batch = this.waiting.slice(0, BATCH);
    if (batch.length === 0) return false;
    await this.database.transaction(async (tx) => {
      for (const { agent, sessionId, strategy, ids, at } of batch) {
        const session = sessionId === undefined ? undefined : redact(sessionId).text;
        const counted = session
          ? await this.memories.countRetrievals(tx, { agentId: agent.id, sessionId: session, ids, at })
          : [...ids].sort();
        if (counted.length === 0) continue;
        await this.promotions.retrieved(tx, counted, at);
        await this.journal.append(tx, agent, {
          action: 'memory.recalled',
          subject: { type: 'agent', id: agent.id },
          data: { strategy, memories: counted, ...(session ? { session } : {}) },
        });
      }
    });
    this.waiting.splice(0, batch.length);
    this.promoting.ring();
    return this.waiting.length > 0;
  }
}
