import { Inject, Injectable, Logger } from '@nestjs/common';
import { type AdminActor, type JobActor, jobActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { MemoryMerges } from '../memory/upkeep/memory-merges.service.js';
import { shownTimes, undoUntil } from '../platform/background/runs.js';
import { ScheduledJob } from '../platform/background/scheduled-jobs.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS } from '../platform/base/durations.js';
import { stackOf } from '../platform/base/error-text.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx, WorkerDatabase } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { AgentConsolidation, changesIn } from './agent-consolidation.service.js';
import { ConsolidationRunRepository, type MemoryHolder, RUNS, type StoredRun } from './consolidation-run.repository.js';
import {
  ConsolidationPhase,
  type ConsolidationQuery,
  type ConsolidationRun,
  type ConsolidationRunList,
  type ConsolidationStarted,
  type ConsolidationUndoResult,
  type StartConsolidation,
} from './consolidation-run.schema.js';

/** Runs over the private lessons and the session memory of agents: by request, and of those that are due on the schedule. */
@Injectable()
export class Consolidation {
  private readonly logger = new Logger(Consolidation.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly worker: WorkerDatabase,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly repository: ConsolidationRunRepository,
    private readonly memory: MemoryMerges,
    private readonly agents: AgentConsolidation,
  ) {}

  /**
   * Runs for one agent, or for each agent with a memory, whether due or not. Throws `conflict` if the agent's memory is
   * being consolidated or paused; of all agents, those are left out and named as busy, or left out as paused.
   */
  async run(actor: JobActor, { agentId, dryRun }: StartConsolidation): Promise<ConsolidationStarted> {
    const agents =
      agentId === undefined ? await this.repository.holders(this.worker.client) : [await this.agent(agentId)];
    const items: ConsolidationRun[] = [];
    const busy: ConsolidationStarted['busy'] = [];
    for (const agent of agents) {
      if (!dryRun && (await this.isPaused(agent))) {
        if (agentId !== undefined) throw paused();
        continue;
      }
      const id = await this.start(actor, agent, 'request', dryRun);
      if (id !== undefined) items.push(await this.show(id));
      else if (agentId !== undefined) throw busyError();
      else busy.push({ agentId: agent.id, agent: agent.name });
    }
    return { items, busy };
  }

  /** Runs for each agent that is due, not paused and not busy. Returns how many ran. */
  @ScheduledJob({ name: 'consolidation', schedule: ({ consolidationCron: cron }) => ({ cron }) })
  async runDue(): Promise<number> {
    let ran = 0;
    for (const agent of await this.repository.holders(this.worker.client)) {
      if (!(await this.isDue(agent)) || (await this.isPaused(agent))) continue;
      // Another process that runs for this agent is enough.
      if ((await this.start(jobActor('consolidation-schedule'), agent, 'schedule', false)) !== undefined) ran += 1;
    }
    return ran;
  }

  async list(query: ConsolidationQuery): Promise<ConsolidationRunList> {
    const { id, agent: agentId, limit } = query;
    const runs = await RUNS.list(this.database.client, { id, ...(agentId ? { agentId } : {}) }, limit);
    return { items: await this.shown(this.database.client, runs) };
  }

  /** Throws `not_found` if there is no such run. */
  async show(id: string): Promise<ConsolidationRun> {
    const { client } = this.database;
    return this.shownOne(client, await this.find(client, id));
  }

  /** Ends the lessons that a run wrote and restores the lessons and entries that it ended, within the grace period. */
  undo(actor: AdminActor, id: string): Promise<ConsolidationUndoResult> {
    return this.database.transaction(async (tx) => {
      const run = await this.find(tx, id);
      if (run.undoneAt !== null) throw undone();
      const until = this.undoUntil(run);
      const now = this.clock.now();
      if (run.agentId === null || !until || until < now)
        throw new DomainError(
          'conflict',
          'consolidation.not_undoable',
          'This run cannot be undone: it changed nothing, or its grace period is over.',
        );
      const later = await this.memory.laterRunOf(tx, id);
      if (later !== undefined)
        throw new DomainError(
          'conflict',
          'consolidation.later_run',
          `The run ${later} changed lessons that this run wrote. Undo that one first.`,
        );
      if (!(await RUNS.setUndone(tx, id, now))) throw undone();
      const { restored, ended, entries: of } = await this.memory.undo(tx, { run: id, agentId: run.agentId });
      const entries = { ...of };
      await this.journal.append(tx, actor, {
        action: 'consolidation.undone',
        subject: { type: 'consolidation_run', id },
        data: { agent: run.agentId, restored, ended, entries },
      });
      return { run: await this.shownOne(tx, { ...run, undoneAt: now }), restored, ended, entries };
    });
  }

  /** Returns the id of the run, or undefined if another one holds the lease. A run that fails is logged and stored. */
  private async start(
    actor: JobActor,
    agent: MemoryHolder,
    trigger: ConsolidationRun['trigger'],
    dryRun: boolean,
  ): Promise<string | undefined> {
    const id = this.ids.uuid();
    try {
      return (await this.agents.run(actor, { id, agentId: agent.id, trigger, dryRun })) ? id : undefined;
    } catch (error) {
      this.logger.error(stackOf(error));
      await this.agents.fail(actor, id, error);
      return id;
    }
  }

  /** Enough time and enough new sessions since the last run that completed. */
  private async isDue({ id }: MemoryHolder): Promise<boolean> {
    const { client } = this.worker;
    const last = await this.repository.lastCompleted(client, id);
    const sessions = await this.repository.sessionsSince(client, id, last);
    const { consolidationMinHours: hours, consolidationMinSessions: least } = this.config;
    const isLongAgo = last === undefined || this.clock.now().getTime() - last.getTime() >= hours * HOUR_MS;
    return isLongAgo && sessions >= least;
  }

  private async isPaused({ id }: MemoryHolder): Promise<boolean> {
    const pauses = await this.repository.pauses(this.worker.client);
    return pauses.some(({ agentId }) => agentId === null || agentId === id);
  }

  private async agent(id: string): Promise<MemoryHolder> {
    const agent = await this.repository.agent(this.worker.client, id);
    if (!agent) throw new DomainError('not_found', 'access.unknown_agent', `There is no agent ${id}.`);
    return agent;
  }

  private async find(tx: Tx, id: string): Promise<StoredRun> {
    const run = await RUNS.find(tx, id);
    if (!run) throw new DomainError('not_found', 'consolidation.unknown_run', `There is no consolidation run ${id}.`);
    return run;
  }

  private undoUntil(run: StoredRun): Date | undefined {
    return undoUntil(run, run.report ? changesIn(run.report) : 0, this.config.consolidationUndoDays);
  }

  private async shownOne(tx: Tx, run: StoredRun): Promise<ConsolidationRun> {
    const [one] = await this.shown(tx, [run]);
    if (!one) throw new Error('a run is not shown');
    return one;
  }

  private async shown(tx: Tx, runs: readonly StoredRun[]): Promise<ConsolidationRun[]> {
    const names = await this.repository.names(
      tx,
      runs.map(({ agentId }) => agentId),
    );
    return runs.map((run) => {
      const { input, phase, ...rest } = run;
      const agent = names.get(run.agentId ?? '') ?? null;
      return { ...rest, ...input, ...shownTimes(run, this.undoUntil(run)), agent, phase: shownPhase(phase) };
    });
  }
}

const shownPhase = (phase: string | null) => (phase === null ? null : ConsolidationPhase.parse(phase));

const busyError = (): DomainError =>
  new DomainError(
    'conflict',
    'consolidation.busy',
    'The memory of this agent is being consolidated; wait for its run.',
  );

const paused = (): DomainError =>
  new DomainError('conflict', 'consolidation.paused', 'The consolidation of this agent is paused; resume it first.');

const undone = (): DomainError =>
  new DomainError('conflict', 'consolidation.undone', 'This run has already been undone.');
