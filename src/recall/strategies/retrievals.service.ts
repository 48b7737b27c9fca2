import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { MemoryUse } from '../../memory/store/memory-use.service.js';
import { retrievalKey } from '../../memory/store/readable.js';
import { BackgroundWork } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Promoting } from '../../promote/promoting.service.js';
import { Promotions } from '../../promote/promotions.service.js';
import { redact } from '../../untrusted/redaction/redact.js';

export interface Retrieval {
  readonly agent: AgentActor;
  readonly sessionId: string | undefined;
  readonly strategy: string;
  readonly ids: readonly string[];
}

type Waiting = Retrieval & { readonly at: Date };
type Noted = Omit<Waiting, 'sessionId'> & { readonly session: string | undefined };

const BATCH = 500;
/** What comes within that is written together, and recalls that follow each other do not wait for each other's notes. */
const WRITTEN_WITHIN_MS = 1_000;
/** Checking what was retrieved is no matter of the moment; a round is, to whoever recalls beside it. */
const CHECKED_WITHIN_MS = 2_000;
/** More than this waits only while the database is away; the oldest go then. */
const MAX_WAITING = 10_000;

/**
 * What agents were told, counted and journalled after the answer: an agent does not wait for it, and a process that is
 * killed loses at most what it had not written yet. What was told decides nothing.
 */
@Injectable()
export class Retrievals extends BackgroundWork {
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryUse,
    private readonly promotions: Promotions,
    private readonly promoting: Promoting,
  ) {
    super();
  }

  note(retrieval: Retrieval): void {
    if (retrieval.ids.length === 0) return;
    this.waiting.push({ ...retrieval, at: this.clock.now() });
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.wakeWithin(WRITTEN_WITHIN_MS);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await this.idle();
    await super.beforeApplicationShutdown();
  }

  protected async step(): Promise<boolean> {
    const batch = this.waiting.slice(0, BATCH);
    if (batch.length === 0) return false;
    const noted = batch.map(({ sessionId, ids, ...rest }) => ({
      ...rest,
      ids: [...new Set(ids)].sort(),
      session: sessionId === undefined ? undefined : redact(sessionId).text,
    }));
    await this.database.transaction((tx) => this.write(tx, noted));
    this.waiting.splice(0, batch.length);
    this.promoting.wakeWithin(CHECKED_WITHIN_MS);
    if (this.waiting.length > 0) this.wakeWithin(WRITTEN_WITHIN_MS);
    return this.waiting.length >= BATCH;
  }

  private async write(tx: Tx, noted: readonly Noted[]): Promise<void> {
    const first = await this.memories.retrieved(
      tx,
      noted.flatMap(({ agent, session, ids, at }) =>
        session === undefined ? [] : [{ agentId: agent.id, sessionId: session, ids, at }],
      ),
    );
    const counted = noted.flatMap((one) => {
      const { agent, session, ids } = one;
      const told = session === undefined ? ids : ids.filter((id) => first.delete(retrievalKey(agent.id, session, id)));
      return told.length === 0 ? [] : [{ ...one, told }];
    });
    await this.promotions.retrieved(tx, [...new Set(counted.flatMap(({ told }) => told))], this.clock.now());
    await this.journal.appendAll(
      tx,
      counted.map(({ agent, strategy, told, session }) => ({
        actor: agent,
        action: 'memory.recalled',
        subject: { type: 'agent', id: agent.id },
        data: { strategy, memories: told, ...(session === undefined ? {} : { session }) },
      })),
    );
  }
}
