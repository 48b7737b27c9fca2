import { Inject, Injectable, Logger } from '@nestjs/common';
import type { RetirementRequest } from '../approvals/proposals/retirement-request.schema.js';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { RequestRetirement } from '../approvals/submissions/request-retirement.js';
import { WithdrawStaleRequests } from '../approvals/submissions/withdraw-requests.js';
import { ExecutionTallies } from '../capture/store/execution-tallies.service.js';
import { jobActor } from '../journal/actor.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { defineWorker } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { compareText } from '../platform/base/compare-text.js';
import { DAY_MS, MINUTE_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import { sumBy } from '../platform/base/sum.js';
import type { Config } from '../platform/config/config.js';
import { WorkerDatabase } from '../platform/database/database.js';
import { releaseLease, takeLease } from '../platform/database/lease.js';
import { CONFIG } from '../platform/platform.module.js';
import { armOf } from '../skills/delivery/audience.js';
import { RolloutStages } from '../skills/delivery/rollout-stages.service.js';
import { generalise } from '../untrusted/text/generalise.js';
import { describeEffect, Effects } from './effects.service.js';

const LEASE = 'skill-watch';
const LEASE_MS = 10 * MINUTE_MS;
const ACTOR = jobActor('skill-watch');

/**
 * Checks the live skills and requests a retirement for one that harms, or whose agents left the models that it was
 * learned on. It only reads data and submits these requests; it can write nothing else. Age alone is no reason.
 */
@Injectable()
export class SkillWatch extends defineWorker() {
  private readonly logger = new Logger(SkillWatch.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly org: OrgEntries,
    private readonly effects: Effects,
    private readonly rollouts: RolloutStages,
    private readonly queue: ProposalQueue,
    private readonly tallies: ExecutionTallies,
    private readonly requestRetirement: RequestRetirement,
    private readonly withdrawStaleRequests: WithdrawStaleRequests,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    await this.checkSkills();
    return false;
  }

  /** Checks all skills once. Returns at once if another process holds the lease. */
  async checkSkills(): Promise<void> {
    const holder = this.ids.uuid();
    const now = this.clock.now();
    const { client } = this.database;
    if (!(await takeLease(client, LEASE, holder, now, LEASE_MS))) return;
    try {
      const since = new Date(now.getTime() - this.config.evolverWindowDays * DAY_MS);
      await this.withdrawStaleRequests.withdrawStale(ACTOR);
      for (const { entry, effect } of await this.effects.harming(since)) {
        const says = describeEffect(effect, { compared: true, over: false });
        const figures = { ...effect, interval: effect.interval ? ([...effect.interval] as [number, number]) : null };
        await this.requestOnce(entry, { reason: 'harm', says, effect: figures });
      }
      await this.checkModels(since);
    } finally {
      await releaseLease(client, LEASE, holder);
    }
  }

  /** A fleet that changes its model changes it for every skill, so the number of open requests is bounded. */
  private async checkModels(since: Date): Promise<void> {
    let remaining = this.config.maxProposalsPerCycle - (await this.queue.countPendingRequests('dependency-changed'));
    const uses = remaining > 0 ? await this.modelsInUse(since) : [];
    if (uses.length === 0) return;
    const entries = (await this.org.live()).sort((a, b) => compareText(a.skillName ?? '', b.skillName ?? ''));
    const limits = await this.rollouts.limits();
    const patterns = await this.queue.patterns(entries.flatMap(({ proposalId }) => proposalId ?? []));
    for (const entry of entries) {
      const evidenceModels = patterns.get(entry.proposalId ?? '')?.models ?? [];
      const shiftIn = (all: readonly ModelUse[]): ModelShift | undefined =>
        modelShift(
          evidenceModels,
          all.filter(({ agentId }) => armOf(limits.get(entry.id), entry.skillName ?? '', agentId) === 'delivered'),
        );
      // What ran before the approval, the reviewer knew. Few skills get past the window, so few more queries.
      const approved = new Date(entry.createdAt);
      const shift = shiftIn(uses) && shiftIn(approved > since ? await this.modelsInUse(approved) : uses);
      if (!shift) continue;
      const from = approved > since ? 'since its approval' : `in the last ${this.config.evolverWindowDays} days`;
      const says =
        `Learned on ${evidenceModels.join(', ')}. Of ${shift.executions} executions of its agents ${from}, ` +
        `${shift.onOthers} ran on ${shift.is.map(({ model }) => model).join(', ')}.`;
      if (
        (await this.requestOnce(entry, { reason: 'dependency-changed', says, was: [...evidenceModels], ...shift })) ===
        'opened'
      )
        remaining -= 1;
      if (remaining === 0) return;
    }
  }

  /** Generalised as in the evidence: the name of a private model may be a path. */
  private async modelsInUse(since: Date): Promise<ModelUse[]> {
    return (await this.tallies.countModels(since)).map((use) => ({ ...use, model: generalise(use.model) }));
  }

  private async requestOnce(entry: MemoryEntry, request: RetirementRequest) {
    const outcome = await this.requestRetirement.request(ACTOR, entry, request);
    if (outcome === 'opened')
      this.logger.warn({ event: 'SKILL_RETIREMENT_REQUESTED', skill: entry.skillName, ...request });
    return outcome;
  }
}

/** Executions of one agent on one model. */
export interface ModelUse {
  readonly agentId: string;
  readonly model: string;
  readonly executions: number;
}

interface ModelShift {
  readonly executions: number;
  readonly onOthers: number;
  readonly is: { model: string; executions: number; agents: number }[];
}

/**
 * Thresholds: at least half of the executions run on models that the evidence does not name, and several agents do so.
 */
const MODEL_SHIFT = { share: 0.5, executions: 20, agents: 3, shown: 20 } as const;

/**
 * Whether the agents of a skill have moved to models other than those of its evidence. Age alone is no shift. Evidence
 * without models, and executions without a model, are ignored.
 */
export function modelShift(evidenceModels: readonly string[], recentUses: readonly ModelUse[]): ModelShift | undefined {
  if (evidenceModels.length === 0) return undefined;
  const others = recentUses.filter(({ model }) => !evidenceModels.includes(model));
  const [executions, onOthers] = [executionsOf(recentUses), executionsOf(others)];
  const agents = new Set(others.map(({ agentId }) => agentId)).size;
  if (onOthers < MODEL_SHIFT.executions || agents < MODEL_SHIFT.agents || onOthers < MODEL_SHIFT.share * executions)
    return undefined;
  const models = [...new Set(others.map(({ model }) => model))];
  const is = models
    .map((model) => others.filter((use) => use.model === model))
    .map((uses) => ({
      model: uses[0]?.model ?? '',
      executions: executionsOf(uses),
      agents: new Set(uses.map(({ agentId }) => agentId)).size,
    }))
    .sort((x, y) => y.executions - x.executions || compareText(x.model, y.model))
    .slice(0, MODEL_SHIFT.shown);
  return { executions, onOthers, is };
}

const executionsOf = (uses: readonly ModelUse[]): number => sumBy(uses, ({ executions }) => executions);
