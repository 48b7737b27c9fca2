import { Inject, Injectable } from '@nestjs/common';
import { Payloads } from '../../capture/analysis/payloads.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ProposerBatchRepository } from '../lessons/proposer-batch.repository.js';
import { usd } from '../model/price.js';
import { Asking } from '../questions/asking.service.js';
import { RecallModelRepository } from '../questions/recall-model.repository.js';
import { refusal, type Standing } from '../spending/budget.js';
import type { ProposerUsage } from '../spending/proposer-usage.schema.js';
import { Spending } from '../spending/spending.service.js';
import { type Amount, ProposerUsageRepository } from './proposer-usage.repository.js';

const MOST_BATCHES = 20;
/** What is left must be more than nothing; how much the next call may use is known only then. */
const ANYTHING = { tokens: 1, nano: 0 };

@Injectable()
export class ProposerUsages {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly asking: Asking,
    private readonly spending: Spending,
    private readonly payloads: Payloads,
    private readonly usages: ProposerUsageRepository,
    private readonly batches: ProposerBatchRepository,
    private readonly recalls: RecallModelRepository,
  ) {}

  /** How it stands, without the sums over what was asked: those read every call, and every skill. */
  async standing(): Promise<Pick<ProposerUsage, 'model' | 'state' | 'reason' | 'until' | 'budgets'>> {
    const standings = await this.spending.standings();
    const model = this.asking.proposer.model?.name ?? null;
    return { model, ...this.state(standings), budgets: standings.map(toBudget) };
  }

  async show(days: number): Promise<ProposerUsage> {
    const { client } = this.database;
    const since = new Date(this.clock.now().getTime() - days * DAY_MS);
    const byDay = await this.usages.byDay(client, since);
    const { payloads, standIns } = await this.payloads.waiting(client);
    return {
      proposer: this.asking.proposer.name,
      ...(await this.standing()),
      price: this.spending.price,
      waiting: { payloads, awaitingProposer: standIns },
      batches: await this.batches.list(client, MOST_BATCHES),
      since: since.toISOString(),
      total: byDay.reduce(add, NOTHING),
      days: byDay,
      purposes: (await this.usages.byPurpose(client, since)).map(({ purpose, ...amount }) => ({
        ...amount,
        purpose: purpose === 'wording' ? 'wording' : 'lesson',
      })),
      outcomes: await this.usages.byOutcome(client, since),
      lessons: await this.usages.byLesson(client, since),
      skills: await this.usages.bySkill(client),
      recall: {
        model: this.config.recallModel ?? null,
        dayCalls: this.config.recallModelDayCalls,
        days: await this.recalls.days(client, since),
      },
    };
  }

  private state(standings: readonly Standing[]): Pick<ProposerUsage, 'state' | 'reason' | 'until'> {
    if (!this.config.proposerEnabled) return { state: 'off', reason: 'GUILDBOOK_PROPOSER_ENABLED', until: null };
    if (!this.asking.proposer.model) return { state: 'rules', reason: null, until: null };
    const resting = this.asking.resting();
    if (resting) return { state: 'resting', reason: resting.reason, until: resting.until.toISOString() };
    const over = this.asking.overBudget() ?? refusal(standings, ANYTHING);
    if (over) return { state: 'over_budget', reason: over.why, until: over.until.toISOString() };
    return { state: 'asking', reason: null, until: null };
  }
}

const NOTHING: Amount = {
  calls: 0,
  inputTokens: 0,
  cacheWriteTokens: 0,
  cacheReadTokens: 0,
  outputTokens: 0,
  usd: 0,
};

const add = (a: Amount, b: Amount): Amount => ({
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  usd: a.usd + b.usd,
});

const toBudget = ({ span, since, resets, limits, spent }: Standing): ProposerUsage['budgets'][number] => ({
  span,
  since: since.toISOString(),
  resets: resets.toISOString(),
  tokens: { used: spent.tokens, limit: limits.tokens },
  usd: { used: usd(spent.nano), limit: limits.usd },
});
