import { Injectable } from '@nestjs/common';
import { EvolverJob } from '../../evolve/cycle/evolver.job.js';
import { intervalSeconds } from '../../platform/background/job-schedule.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { ServerState as Tables } from '../../platform/health/health.schema.js';
import { ServerStates } from '../../platform/health/server-state.service.js';
import { ProposerUsageService } from '../../propose/usage/proposer-usage.service.js';
import { Skills } from '../../skills/catalogue/skills.service.js';
import type { RemoteState } from '../../skills/publishing/remote.schema.js';
import { counted, grouped, interval, moment, nextCycleText, relative } from '../frame/in-words.js';

const REMOTE_TEXTS = {
  waiting: 'nothing pushed yet',
  pushed: 'up to date',
  requested: 'waits for a pull request',
  refused: 'the pull request was closed without a merge',
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
    return fact('Cycles', nextCycleText(this.schedule.next(), this.clock.now()));
  }

  private async git(): Promise<StateFact[]> {
    const { head, history, remote, findings } = await this.skills.repository();
    const where = remote ? remoteText(remote) : 'none: skills stay in the local folder';
    const isBad = remote !== null && ['rejected', 'refused', 'unreachable'].includes(remote.state);
    const link = remote?.request?.address;
    return [
      fact('Skills commit', head ?? 'no commits yet'),
      {
        ...fact('Remote', isBad && remote?.reason ? `${where}: ${remote.reason}` : where, isBad),
        ...(link ? { link } : {}),
      },
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

function remoteText({ state, request, branch }: RemoteState): string {
  const number = request && `pull request #${request.number}`;
  if (number && state === 'requested') return `waits for ${number} to branch ${branch}`;
  if (number && state === 'refused') return `${number} to branch ${branch} was closed without a merge`;
  return `${REMOTE_TEXTS[state]} on branch ${branch}${number ? `, with ${number} open` : ''}`;
}

/** A line of the current state of the server. */
interface StateFact {
  readonly name: string;
  readonly says: string;
  readonly isBad: boolean;
  /** A page of the git host about it. */
  readonly link?: string;
  /** What a person runs to change it, one statement a line. */
  readonly toRun?: string;
}

const fact = (name: string, says: string, isBad = false): StateFact => ({ name, says, isBad });

/** Nothing while the role of background work is in force, or if the database can have none. */
export function roleFacts(state: {
  readonly roleProblem: string | undefined;
  readonly roleSql: readonly string[];
}): StateFact[] {
  const { roleProblem, roleSql } = state;
  if (roleSql.length === 0) return [];
  const says = `not in force: ${roleProblem ?? ''}. Let an administrator of the database server run this, then restart Guildbook:`;
  return [{ ...fact('Role of background work', says, true), toRun: roleSql.join('\n') }];
}

/** The processes, queues and jobs of the server as rows of tables. */
function serverTables({ processes, queues, jobs }: Tables, now: Date) {
  return {
    processes: processes.map((process) => ({
      name: process.isThis ? `${process.host} (this one)` : process.host,
      pid: String(process.pid),
      version: process.version,
      address: process.address,
      folder: process.skillsFolder,
      role: process.roleInForce,
      behind: process.indexBehind ?? '',
      started: moment(process.startedAt, now),
      seen: moment(process.lastSeenAt, now),
    })),
    queues: queues.map(({ name, length, oldestSeconds }) => ({
      name,
      length,
      oldest: oldestSeconds === null ? '' : waited(oldestSeconds, now),
    })),
    jobs: jobs.map(({ name, schedule, state, lastRunAt, seconds, outcome, host, nextRunAt }) => ({
      name,
      ...scheduleOf(schedule),
      last: lastRunAt === null ? null : moment(lastRunAt, now),
      outcome: state === 'running' ? state : outcome,
      isBad: outcome === 'failed',
      seconds: seconds === null ? '' : `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
      host: host ?? '',
      next: { ...moment(nextRunAt, now), says: soon(nextRunAt, now) },
    })),
  };
}

/** An interval in words, or a cron expression as it is. */
function scheduleOf(schedule: string): { readonly every: string } | { readonly cron: string } {
  const seconds = intervalSeconds(schedule);
  return seconds === undefined ? { cron: schedule } : { every: interval(seconds) };
}

function soon(time: string, now: Date): string {
  const distance = new Date(time).getTime() - now.getTime();
  return distance < MINUTE_MS ? 'within a minute' : relative(time, now);
}

const waited = (seconds: number, now: Date): string =>
  seconds * 1_000 < MINUTE_MS ? `${grouped(seconds)} s` : relative(new Date(now.getTime() - seconds * 1_000), now);
