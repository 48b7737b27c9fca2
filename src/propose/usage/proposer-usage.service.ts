import { Inject, Injectable } from '@nestjs/common';
import { AnalysisQueue } from '../../capture/analysis/analysis-queue.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { usd } from '../model/price.js';
import { ProposerQuestions } from '../questions/proposer-questions.service.js';
import { RecallModelRepository } from '../questions/recall-model.repository.js';
import { type BudgetStatus, budgetRefusal } from '../spending/budget.js';
import { ProposerBatchRepository } from '../spending/proposer-batch.repository.js';
import { ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { ProposerPurpose, type ProposerUsage } from '../spending/proposer-usage.schema.js';
import { type Amount, ProposerUsageRepository } from './proposer-usage.repository.js';

const MAX_BATCHES = 20;
/** More than nothing must be left; how much the next call may use is known only then. */
const ANY_CALL = { tokens: 1, nano: 0 };

@Injectable()
export class ProposerUsageService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
    private readonly payloads: AnalysisQueue,
    private readonly usages: ProposerUsageRepository,
    private readonly batches: ProposerBatchRepository,
    private readonly recalls: RecallModelRepository,
  ) {}

  /** Returns the status without the sums, which read every call and every skill. */
  async status(): Promise<Pick<ProposerUsage, 'model' | 'state' | 'reason' | 'until' | 'budgets'>> {
    const statuses = await this.budgets.budgetStatuses();
    const model = this.questions.proposer.model?.name ?? null;
    return { model, ...this.state(statuses), budgets: statuses.map(toBudget) };
  }

  async show(days: number): Promise<ProposerUsage> {
    const { client } = this.database;
    const since = new Date(this.clock.now().getTime() - days * DAY_MS);
    const byDay = await this.usages.byDay(client, since);
    const { payloads, placeholders } = await this.payloads.countWaiting(client);
    return {
      proposer: this.questions.proposer.name,
      ...(await this.status()),
      price: this.budgets.price,
      waiting: { payloads, awaitingProposer: placeholders },
      batches: await this.batches.list(client, MAX_BATCHES),
      since: since.toISOString(),
      total: byDay.reduce(add, NO_USAGE),
      days: byDay,
      purposes: (await this.usages.byPurpose(client, since)).map(({ purpose, ...amount }) => ({
        ...amount,
        purpose: ProposerPurpose.parse(purpose),
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

  private state(statuses: readonly BudgetStatus[]): Pick<ProposerUsage, 'state' | 'reason' | 'until'> {
    if (!this.config.proposerEnabled) return { state: 'off', reason: 'GUILDBOOK_PROPOSER_ENABLED', until: null };
    if (!this.questions.proposer.model) return { state: 'rules', reason: null, until: null };
    const backoff = this.questions.backoff();
    if (backoff) return { state: 'resting', reason: backoff.reason, until: backoff.until.toISOString() };
    const over = this.questions.overBudget() ?? budgetRefusal(statuses, ANY_CALL);
    if (over) return { state: 'over_budget', reason: over.reason, until: over.until.toISOString() };
    return { state: 'asking', reason: null, until: null };
  }
}

const NO_USAGE: Amount = {
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

const toBudget = ({ span, since, resets, limits, spent }: BudgetStatus): ProposerUsage['budgets'][number] => ({
  span,
  since: since.toISOString(),
  resets: resets.toISOString(),
  tokens: { used: spent.tokens, limit: limits.tokens },
  usd: { used: usd(spent.nano), limit: limits.usd },
});
