import { Inject, Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { MemoryEvidence } from '../memory/provenance/memory-evidence.service.js';
import { MemoryGrounds } from '../memory/provenance/memory-grounds.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS } from '../platform/base/durations.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { Promoting } from './promoting.service.js';
import { PromotionRepository } from './promotion.repository.js';
import type { Promotion, PromotionList, PromotionQuery } from './promotion.schema.js';

/** A retrieval asks for a check only of what was not checked for so long: retrieving is cheap, and checking is not. */
const FRESH_MS = HOUR_MS;

/** The promotion as it is seen from outside: what is unresolved and why, and the ways to ask for a check. */
@Injectable()
export class Promotions {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly repository: PromotionRepository,
    private readonly promoting: Promoting,
    private readonly memories: MemoryEvidence,
    private readonly grounds: MemoryGrounds,
  ) {}

  async list({ state, after, limit }: PromotionQuery): Promise<PromotionList> {
    const { client } = this.database;
    const items = await this.repository.list(client, { state, after, limit: limit + 1 });
    const page = items.slice(0, limit);
    const next = items.length > limit ? (page.at(-1)?.memory ?? null) : null;
    return { items: page, next, counts: await this.repository.counts(client) };
  }

  async show(id: string): Promise<Promotion> {
    const { client } = this.database;
    const summary = await this.repository.find(client, id);
    if (!summary) throw unknown(id);
    const grounds = await this.grounds.under(client, id);
    return {
      ...summary,
      evidence: await this.memories.of(client, id),
      restsOn: grounds.map(({ id: memory, provenance, ended }) => ({ memory, provenance, ended })),
    };
  }

  /** A person wants to know now. What comes of it is the evidence's, not theirs. */
  async check(actor: ReviewerActor | AdminActor, id: string): Promise<Promotion> {
    await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      await this.repository.hasten(tx, [id], 'person', now, now);
      if (!(await this.repository.find(tx, id))) throw unknown(id);
      await this.repository.force(tx, id, now);
      await this.journal.append(tx, actor, {
        action: 'memory.promotion_requested',
        subject: { type: 'memory', id },
      });
    });
    await this.promoting.check(id);
    return this.show(id);
  }

  /** What was retrieved and is not verified is looked at next, in the transaction that counts the retrieval. */
  async retrieved(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
    if (this.config.promotionBudget === 0 || ids.length === 0) return;
    const before = new Date(at.getTime() - FRESH_MS);
    await this.repository.hasten(tx, ids, 'retrieval', this.clock.now(), before);
  }
}

const unknown = (id: string) =>
  new DomainError('not_found', 'promotion.unknown', `There is no private memory ${id} that is corroborated by itself.`);
