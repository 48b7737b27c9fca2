import { Inject, Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { MemoryDerivations } from '../memory/provenance/memory-derivations.service.js';
import { MemoryEvidence } from '../memory/provenance/memory-evidence.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS } from '../platform/base/durations.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { PromotionRepository } from './promotion.repository.js';
import type { Promotion, PromotionList, PromotionQuery, PromotionSummary } from './promotion.schema.js';
import { PromotionWorker } from './promotion-worker.service.js';

/** A retrieval schedules a check only if the last one is older than this: retrieving is cheap, checking is not. */
const RECHECK_AFTER_MS = HOUR_MS;

/** Lists promotions and schedules checks on request. */
@Injectable()
export class PromotionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly repository: PromotionRepository,
    private readonly worker: PromotionWorker,
    private readonly memories: MemoryEvidence,
    private readonly grounds: MemoryDerivations,
  ) {}

  async list({ state, after, limit }: PromotionQuery): Promise<PromotionList> {
    const { client } = this.database;
    const items = await this.repository.list(client, { state, after, limit: limit + 1 });
    const page = items.slice(0, limit);
    const next = items.length > limit ? (page.at(-1)?.memory ?? null) : null;
    return { items: page, next, counts: await this.repository.counts(client) };
  }

  /** The lessons that wait for a person, those whose failure came back most often first, and their number. */
  async waiting(limit: number): Promise<{ items: PromotionSummary[]; total: number }> {
    const { client } = this.database;
    const items = await this.repository.list(client, { state: 'waiting', after: undefined, limit });
    return { items, total: items.length < limit ? items.length : await this.repository.countWaiting(client) };
  }

  async show(id: string): Promise<Promotion> {
    const { client } = this.database;
    const summary = await this.repository.find(client, id);
    if (!summary) throw unknownMemory(id);
    const grounds = await this.grounds.sourcesOf(client, id);
    return {
      ...summary,
      evidence: await this.memories.list(client, id),
      restsOn: grounds.map(({ id: memory, provenance, ended }) => ({ memory, provenance, ended })),
    };
  }

  /** A person requests a check. The evidence decides the result, not the person. */
  async checkNow(actor: ReviewerActor | AdminActor, id: string): Promise<Promotion> {
    await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      await this.repository.scheduleCheck(tx, [id], 'person', now, now);
      if (!(await this.repository.find(tx, id))) throw unknownMemory(id);
      await this.repository.scheduleForPerson(tx, id, now);
      await this.journal.append(tx, actor, {
        action: 'memory.promotion_requested',
        subject: { type: 'memory', id },
      });
    });
    await this.worker.check(id);
    return this.show(id);
  }

  /** Schedules retrieved memories that are not verified, in the transaction that counts the retrieval. */
  async scheduleRetrieved(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
    if (this.config.promotionBudget === 0 || ids.length === 0) return;
    const before = new Date(at.getTime() - RECHECK_AFTER_MS);
    await this.repository.scheduleCheck(tx, ids, 'retrieval', this.clock.now(), before);
  }
}

const unknownMemory = (id: string) =>
  new DomainError('not_found', 'promotion.unknown', `Memory ${id} is not in the promotion queue.`);
