import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { MemoryUse } from '../../memory/store/memory-use.service.js';
import { retrievalKey } from '../../memory/store/recallable-memory.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { PromotionService } from '../../promote/promotion.service.js';
import { PromotionWorker } from '../../promote/promotion-worker.service.js';

export interface RetrievalEvent {
  readonly agent: AgentActor;
  readonly sessionId: string | undefined;
  readonly strategy: string;
  readonly ids: readonly string[];
  /** Hash of the ranking profile; undefined for the default one. */
  readonly profile: string | undefined;
}

type PendingRetrieval = RetrievalEvent & { readonly at: Date };
type StorableRetrieval = Omit<PendingRetrieval, 'sessionId'> & { readonly session: string | undefined };

const BATCH = 500;
/** Deliveries within this time are written together, so that a recall does not wait for the writes of the last one. */
const WRITE_DELAY_MS = 1_000;
/** Checks of retrieved memories are deferred so that they do not delay recalls. */
const CHECK_DELAY_MS = 2_000;
/** Reached only while the database is unavailable. Then the oldest deliveries are dropped. */
const MAX_PENDING = 10_000;

/**
 * Counts and journals deliveries after the response, so that an agent does not wait. A process that is killed loses at most
 * the unwritten ones. No decision depends on these records.
 */
@Injectable()
export class RetrievalRecorder extends defineWorker() {
  private readonly pending: PendingRetrieval[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryUse,
    private readonly promotions: PromotionService,
    private readonly promotionWorker: PromotionWorker,
    private readonly references: IdentifierReferences,
  ) {
    super();
  }

  record(retrieval: RetrievalEvent): void {
    if (retrieval.ids.length === 0) return;
    this.pending.push({ ...retrieval, at: this.clock.now() });
    if (this.pending.length > MAX_PENDING) this.pending.shift();
    this.wakeAfter(WRITE_DELAY_MS);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await this.idle();
    await super.beforeApplicationShutdown();
  }

  protected async step(): Promise<boolean> {
    const batch = this.pending.slice(0, BATCH);
    if (batch.length === 0) return false;
    const storable = batch.map(({ sessionId, ids, ...rest }) => ({
      ...rest,
      ids: [...new Set(ids)].sort(),
      session: sessionId === undefined ? undefined : this.references.of(sessionId),
    }));
    await this.database.transaction((tx) => this.write(tx, storable));
    this.pending.splice(0, batch.length);
    this.promotionWorker.wakeAfter(CHECK_DELAY_MS);
    if (this.pending.length > 0) this.wakeAfter(WRITE_DELAY_MS);
    return this.pending.length >= BATCH;
  }

  private async write(tx: Tx, retrievals: readonly StorableRetrieval[]): Promise<void> {
    await this.memories.lock(tx, [...new Set(retrievals.flatMap(({ ids }) => ids))]);
    const first = await this.memories.retrieved(
      tx,
      retrievals.flatMap(({ agent, session, ids, at }) =>
        session === undefined ? [] : [{ agentId: agent.id, sessionId: session, ids, at }],
      ),
    );
    await this.memories.retrievedOnce(
      tx,
      retrievals.flatMap(({ session, ids, at }) => (session === undefined ? [{ ids, at }] : [])),
    );
    const counted = retrievals.flatMap((one) => {
      const { agent, session, ids } = one;
      const newlyDelivered =
        session === undefined ? ids : ids.filter((id) => first.delete(retrievalKey(agent.id, session, id)));
      return newlyDelivered.length === 0 ? [] : [{ ...one, newlyDelivered }];
    });
    await this.promotions.scheduleRetrieved(
      tx,
      [...new Set(counted.flatMap(({ newlyDelivered }) => newlyDelivered))],
      this.clock.now(),
    );
    await this.journal.appendAll(
      tx,
      counted.map(({ agent, strategy, newlyDelivered, session, profile }) => ({
        actor: agent,
        action: 'memory.recalled',
        subject: { type: 'agent', id: agent.id },
        data: {
          strategy,
          memories: newlyDelivered,
          ...(session === undefined ? {} : { session }),
          ...(profile === undefined ? {} : { profile }),
        },
      })),
    );
  }
}
