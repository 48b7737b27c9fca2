import { Injectable } from '@nestjs/common';
import { EvolverJob } from '../../evolve/cycle/evolver.job.js';
import { Clock } from '../../platform/base/clock.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ServerStates } from '../../platform/health/server-state.service.js';
import { ProposerUsageService } from '../../propose/usage/proposer-usage.service.js';
import { Skills } from '../../skills/catalogue/skills.service.js';
import { say } from '../texts/texts.js';
import { relative } from '../texts/times.js';
import { serverTables } from './server-tables.js';
import { fact, roleFacts, type StateFact } from './state-fact.js';

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
    const says = next === null ? say('dashboard.by-request') : relative(next, this.clock.now());
    return fact('settings.next-cycle', says);
  }

  private async git(): Promise<StateFact[]> {
    const { head, history, remote, findings } = await this.skills.repository();
    const where = remote
      ? say('settings.remote-says', { state: say(`settings.remote.${remote.state}`), branch: remote.branch })
      : say('settings.remote-none');
    const isBad = remote?.state === 'rejected' || remote?.state === 'unreachable';
    return [
      fact('settings.git-head', head ?? say('settings.git-none')),
      fact('settings.remote', isBad && remote?.reason ? `${where}: ${remote.reason}` : where, isBad),
      ...history.setAside.slice(0, 5).map((commit) => fact('settings.set-aside', commit)),
      ...findings.slice(0, 10).map(({ kind, subject: what }) => fact('settings.findings', `${kind}: ${what}`, true)),
    ];
  }

  private async spending(): Promise<StateFact[]> {
    const { state, model, budgets } = await this.proposer.status();
    const isBad = state === 'resting' || state === 'over_budget';
    return [
      fact('settings.proposer', say(`settings.proposer.${state}`, { model: model ?? '' }), isBad),
      ...(model === null ? [] : budgets).map(({ span, tokens, usd }) => ({
        name: say('settings.spent', { span }),
        says: say('settings.spent-says', {
          tokens: tokens.used,
          limit: tokens.limit,
          usd: usd.used.toFixed(2),
          dollars: String(usd.limit),
        }),
        isBad: tokens.used >= tokens.limit || usd.used >= usd.limit,
      })),
    ];
  }
}
