import { Injectable } from '@nestjs/common';
import { EvolverJob } from '../../evolve/cycle/evolver.job.js';
import { Clock } from '../../platform/base/clock.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ServerStates } from '../../platform/health/server-state.service.js';
import { ProposerUsageService } from '../../propose/usage/proposer-usage.service.js';
import { Skills } from '../../skills/catalogue/skills.service.js';
import { counted, grouped } from '../frame/quantity.js';
import { relative } from '../frame/times.js';
import { serverTables } from './server-tables.js';
import { fact, roleFacts, type StateFact } from './state-fact.js';

const REMOTE_TEXTS = {
  waiting: 'nothing pushed yet',
  pushed: 'up to date',
  rejected: 'rejected the last push',
  unreachable: 'unreachable',
  standby: 'pushed by another process of this database',
} as const;

/** The current state of schedules, budgets and remotes. */
@Injectable()
export class ServerState {
  constructor(
    private readonly clock: Clock,
    private readonly schedule: EvolverJob,
    private readonly skills: Skills,
    private readonly proposer: ProposerUsageService,
    private readonly worker: WorkerDatabase,
    private readonly states: ServerStates,
  ) {}

  async facts(): Promise<StateFact[]> {
    return [...roleFacts(this.worker), this.nextCycle(), ...(await this.git()), ...(await this.spending())];
  }

  /** The processes, queues and jobs. */
  async tables() {
    return serverTables(await this.states.read(), this.clock.now());
  }

  private nextCycle(): StateFact {
    const next = this.schedule.next();
    const says = next === null ? 'cycles run on request only' : relative(next, this.clock.now());
    return fact('Next cycle', says);
  }

  private async git(): Promise<StateFact[]> {
    const { head, history, remote, findings } = await this.skills.repository();
    const where = remote
      ? `${REMOTE_TEXTS[remote.state]} on branch ${remote.branch}`
      : 'none: skills stay in the local folder';
    const isBad = remote?.state === 'rejected' || remote?.state === 'unreachable';
    return [
      fact('Skills commit', head ?? 'no commits yet'),
      fact('Remote', isBad && remote?.reason ? `${where}: ${remote.reason}` : where, isBad),
      ...history.setAside.slice(0, 5).map((commit) => fact('Set aside from main', commit)),
      ...findings
        .slice(0, 10)
        .map(({ kind, subject: what }) => fact('Needs attention in git', `${kind}: ${what}`, true)),
    ];
  }

  private async spending(): Promise<StateFact[]> {
    const { state, model, budgets } = await this.proposer.status();
    const isBad = state === 'resting' || state === 'over_budget';
    const proposerTexts = {
      off: 'off: no lessons are captured',
      rules: 'rules only, no model',
      asking: `uses ${model}`,
      resting: `${model} is unavailable; using rules`,
      over_budget: 'budget used up; using rules',
    };
    return [
      fact('Proposer', proposerTexts[state], isBad),
      ...(model === null ? [] : budgets).map(({ span, tokens, usd }) => ({
        name: `Usage this ${span}`,
        says: `${grouped(tokens.used)} of ${counted(tokens.limit, 'token')}, ${usd.used.toFixed(2)} of ${usd.limit} USD`,
        isBad: tokens.used >= tokens.limit || usd.used >= usd.limit,
      })),
    ];
  }
}
