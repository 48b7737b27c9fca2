import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Reporter } from '../../access/identity/reporter.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { compareText } from '../../platform/base/compare-text.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { sumBy } from '../../platform/base/sum.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { CONFIG } from '../../platform/platform.module.js';
import { SkillUses } from '../../skills/delivery/skill-uses.service.js';
import { hooksFormatOf } from '../hook-events/hooks.importer.js';
import { HOOK_PRODUCTS } from '../hook-events/products.js';
import type { AssembledExecution, FragmentFormat, NewFragment } from '../importers/fragment-format.js';
import { Executions } from '../intake/executions.service.js';
import { areTwins } from '../report/session-twin.js';
import { TELEMETRY_FORMATS } from '../traces/otel.importer.js';
import { TRACE_FORMAT } from '../traces/telemetry-product.js';
import { type AssemblyDelays, nextSchedule } from './assembly-schedule.js';
import { DUE_ASSEMBLIES, type DueAssembly, FragmentAssemblyRepository } from './fragment-assembly.repository.js';
import type { StoredSession } from './stored-sessions.service.js';

/** Four times the tool calls that a report can hold: a call arrives as up to four spans or two hooks. */
export const MAX_FRAGMENTS = 20_000;
const RETRY_AFTER_MS = 5 * MINUTE_MS;

const FORMATS: ReadonlyMap<string, FragmentFormat> = new Map(
  [...TELEMETRY_FORMATS, ...HOOK_PRODUCTS.map(hooksFormatOf)].map((format) => [format.format, format]),
);

/** A trace that lacks its root is still on its way; the session of a hook or a log that came has ended or goes on. */
const isSessionFormat = (format: string): boolean => format !== TRACE_FORMAT;

/** Fragments of one execution that were just received. */
export interface FragmentBatch {
  readonly format: string;
  readonly key: string;
  readonly fragments: readonly NewFragment[];
}

/** An assembly after fragments were added to it. */
interface AddedBatch extends StoredSession {
  /** Fragments beyond what an execution can hold. */
  readonly rejected: number;
  readonly isDue: boolean;
}

/**
 * Collects the fragments of executions and turns them into reports. Fragments and schedules are rows, so a restart
 * loses nothing, and a second assembly of the same fragments reports the execution only once.
 */
@Injectable()
export class FragmentAssembler extends defineWorker({ every: 5 * SECOND_MS, queues: { fragments: DUE_ASSEMBLIES } }) {
  private readonly logger = new Logger(FragmentAssembler.name);
  private readonly delays: AssemblyDelays;
  private readonly retentionMs: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly assemblies: FragmentAssemblyRepository,
    private readonly executions: Executions,
    private readonly skillUses: SkillUses,
  ) {
    super();
    this.delays = {
      graceSeconds: config.fragmentGraceSeconds,
      pauseMinutes: config.fragmentPauseMinutes,
      silenceMinutes: config.hookSilenceMinutes,
    };
    this.retentionMs = config.fragmentMaxHours * HOUR_MS;
  }

  /**
   * Stores the fragments, all or none, each once. They are already redacted. Returns how many were rejected because
   * their execution is full, and the assemblies in the order of their keys. Not journalled: this is an inbox, and the
   * journal records the report that is made of it.
   */
  async add(
    agent: Reporter,
    batches: readonly FragmentBatch[],
  ): Promise<{ rejected: number; assemblies: readonly StoredSession[] }> {
    // A fixed order, so that two requests about the same executions do not deadlock.
    const ordered = [...batches].sort((a, b) => compareText(a.key, b.key));
    const added = await this.database.sqlTransaction(async (tx) => {
      const results: AddedBatch[] = [];
      for (const batch of ordered) results.push(await this.addBatch(tx, agent, batch));
      return results;
    });
    // The job wakes it for those that are due later: a look at the table now would stand between an agent and its answer.
    if (added.some(({ isDue }) => isDue)) this.wake();
    const assemblies = added.map(({ assembly, isNew }) => ({ assembly, isNew }));
    return { rejected: sumBy(added, ({ rejected }) => rejected), assemblies };
  }

  private async addBatch(
    tx: SqlClient,
    agent: Reporter,
    { format, key, fragments }: FragmentBatch,
  ): Promise<AddedBatch> {
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + this.retentionMs);
    const assembly = { id: this.ids.uuid(), agentId: agent.id, ...agent.source, format, key };
    const open = await this.assemblies.add(tx, assembly, fragments, { most: MAX_FRAGMENTS, now, expiresAt });
    const accepted = fragments.slice(0, Math.max(0, MAX_FRAGMENTS - open.fragmentCount));
    const added = { assembly: open.id, isNew: open.fragmentCount === 0, rejected: fragments.length - accepted.length };
    if (open.added === 0) return { ...added, isDue: false };
    const signals = accepted.map(({ signal }) => signal);
    const { silenceMinutes: _silence, ...withoutSilence } = this.delays;
    const delays = isSessionFormat(format) ? this.delays : withoutSilence;
    const schedule = nextSchedule(open.schedule, signals, now, delays);
    await this.assemblies.recordFragments(tx, open, schedule, now, expiresAt);
    return { ...added, isDue: schedule.at !== null && schedule.at <= now };
  }

  protected async step(): Promise<boolean> {
    const { client } = this.database;
    const due = await this.assemblies.nextDue(client, this.clock.now());
    if (due === undefined) return false;
    try {
      await this.assemble(due);
    } catch (error) {
      // Postpone an assembly that fails, so that it does not block the others.
      await this.assemblies.postpone(client, due, new Date(this.clock.now().getTime() + RETRY_AFTER_MS));
      throw error;
    }
    return true;
  }

  private async assemble(due: DueAssembly): Promise<void> {
    const { client } = this.database;
    const format = FORMATS.get(due.format);
    if (format !== undefined) {
      const fragments = await this.assemblies.findFragments(client, due.id);
      const agent: Reporter = { kind: 'agent', ...due.agent, source: due.source };
      for (const execution of format.assemble(due.key, fragments, due.stage)) await this.report(agent, execution);
    }
    if (due.stage === 'expired') await this.assemblies.remove(client, due);
    else await this.assemblies.clearSchedule(client, due);
  }

  /**
   * Reports the execution and its skill uses. A refusal is final and is only logged, as its code, without any text of
   * the report.
   */
  private async report(agent: Reporter, { report, findings, skillUses }: AssembledExecution): Promise<void> {
    let isTwin = false;
    await this.ignoreRefusal(async () => {
      const { executionId } = await this.executions.report(agent, report, findings);
      isTwin = areTwins(executionId, report.executionId);
    });
    // The import of the session's transcript reported its skill uses.
    if (isTwin) return;
    for (const { executionId, outcome, uses } of skillUses)
      for (const { skill, event, at } of uses)
        await this.ignoreRefusal(() => this.skillUses.report(agent, skill, { executionId, event, at, outcome }));
  }

  private async ignoreRefusal(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      // An agent's machine has skills of many origins; skills that this server does not publish are ignored.
      if (error.code !== 'skill.not_found') this.logger.warn(`refused: ${error.code}`);
    }
  }
}
