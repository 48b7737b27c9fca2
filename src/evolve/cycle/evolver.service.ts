import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { ExecutionReader } from '../../capture/store/execution-reader.service.js';
import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import { type JobActor, jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/error-text.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { releaseLease, takeLease, whileRenewing } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import { count, measure } from '../../platform/telemetry/metrics.js';
import { inSpan } from '../../platform/telemetry/spans.js';
import { WordingModel } from '../../propose/questions/wording-model.service.js';
import { LiveChecks } from '../../skills/delivery/live-checks.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { ClaimEmbedding } from '../claims/claim-embedding.service.js';
import type { KnownClaimsInput } from '../drafts/known-claims.js';
import { knownClaimsInput } from '../drafts/known-claims-input.js';
import { MiningState } from '../window/mining-state.service.js';
import { WordingTally } from '../wording/wording-tally.js';
import { type CycleOutcome, finishCycleFrom, limitToQueueRoom } from './cycle.js';
import { CycleRepository } from './cycle.repository.js';
import { isCycleDue } from './cycle-due.js';
import { type CycleMetadata, cycleResultOf, reportOf } from './cycle-report.js';
import { CYCLE_LEASE, CycleReports, DEAD } from './cycle-reports.service.js';
import type { Cycle, CycleResult } from './cycles.schema.js';
import { DraftSubmitter } from './draft-submitter.service.js';
import { liveFindings } from './live-findings.js';

/** A cycle of a killed process keeps the next one from starting for as long. */
const LEASE_MS = MINUTE_MS;
const RENEW_MS = LEASE_MS / 4;
/** Between two looks whether a cycle has ended. */
const POLL_MS = 200;
/** Renew the lease after this many executions: otherwise a second cycle could start during a long one. */
const RENEW_EVERY = 5_000;
/** Actor recorded for scheduled cycles. */
export const SCHEDULE_ACTOR = jobActor('evolver-schedule');
const EVOLVER_ACTOR = jobActor('evolver');

export interface CycleRequest {
  readonly trigger: Cycle['trigger'];
  readonly dryRun: boolean;
}

/** Turns the executions of all agents into proposals. The evolver reads and submits; it can write nothing else. */
@Injectable()
export class Evolver {
  private readonly logger = new Logger(Evolver.name);
  private running: { readonly id: string; readonly read: number } | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly cycles: CycleRepository,
    private readonly reports: CycleReports,
    private readonly miningState: MiningState,
    private readonly org: OrgEntries,
    private readonly queue: ProposalQueue,
    private readonly submitter: DraftSubmitter,
    private readonly executions: ExecutionReader,
    private readonly wordingModel: WordingModel,
    private readonly claims: ClaimEmbedding,
    private readonly liveChecks: LiveChecks,
  ) {}

  /** Runs one cycle to its end. Throws `conflict` if a cycle is running in any process. */
  async run(actor: JobActor, request: CycleRequest): Promise<Cycle> {
    return (await this.begin(actor, request)).report;
  }

  /** Starts a cycle and returns it as it runs. Throws `conflict` if a cycle is running in any process. */
  async start(actor: JobActor, request: CycleRequest): Promise<Cycle> {
    const { id, report } = await this.begin(actor, request);
    // Recorded in the cycle, and logged.
    report.catch(() => undefined);
    return this.reports.show(id);
  }

  /**
   * Starts a cycle, which is recorded and continues in the background. `report` resolves at its end. Throws `conflict`
   * if a cycle is running in any process.
   */
  async begin(actor: JobActor, request: CycleRequest): Promise<{ id: string; report: Promise<Cycle> }> {
    const id = this.ids.uuid();
    // A person who asks for a cycle does not know of one that runs by itself.
    const isAsked = request.trigger === 'request';
    while (!(await this.take(id)))
      if (isAsked && (await this.cycles.runsOnSchedule(this.database.client))) await setTimeout(POLL_MS);
      else throw new DomainError('conflict', 'evolver.busy', 'A cycle is already running; wait for its report.');
    const startedAt = this.clock.now();
    try {
      await this.recordStarted(actor, id, request, startedAt);
    } catch (error) {
      await releaseLease(this.database.client, CYCLE_LEASE, id);
      throw error;
    }
    return { id, report: this.runToEnd(id, request, startedAt) };
  }

  private take(id: string, more = 0): Promise<boolean> {
    return takeLease(this.database.client, CYCLE_LEASE, id, this.clock.now(), LEASE_MS + more);
  }

  /** Returns how many executions a cycle of this process has read; undefined for a cycle of another process. */
  progress(id: string): number | undefined {
    return this.running?.id === id ? this.running.read : undefined;
  }

  private async runToEnd(id: string, request: CycleRequest, startedAt: Date): Promise<Cycle> {
    const startedMs = performance.now();
    try {
      const cycle = await inSpan('evolver cycle', { 'guildbook.cycle': id }, () =>
        whileRenewing(
          RENEW_MS,
          () => this.renewLease(id),
          () => this.executeCycle(id, request, startedAt),
        ),
      );
      countCycle(cycle, performance.now() - startedMs);
      return cycle;
    } catch (error) {
      count('guildbook_cycles_total', { result: 'failed' });
      await this.recordFailed(id, error);
      throw error;
    } finally {
      this.running = undefined;
      await releaseLease(this.database.client, CYCLE_LEASE, id);
    }
  }

  /** Returns whether a scheduled cycle would find something new that a person can decide. */
  async isDue(): Promise<boolean> {
    const duty = await this.cycles.duty(this.database.client);
    return isCycleDue({ ...duty, isTimed: this.config.evolverCron !== 'auto' }, this.clock.now());
  }

  /**
   * Called at a start with the evolver disabled. Journals this once after scheduled cycles have run, so that their end
   * is on record.
   */
  async journalDisabled(): Promise<void> {
    this.logger.log({ event: 'SKILL_EVOLVER_DISABLED', by: 'GUILDBOOK_EVOLVER_ENABLED' });
    const newest = async (action: string) =>
      (await this.journal.list({ action, after: 0, limit: 50, order: 'newest' })).items;
    const [off] = await newest('SKILL_EVOLVER_DISABLED');
    const ran = (await newest('SKILL_EVOLVER_CYCLE_START')).find(({ actor }) => actor.id === SCHEDULE_ACTOR.id);
    if (ran === undefined || (off !== undefined && off.seq > ran.seq)) return;
    await this.database.transaction((tx) =>
      this.journal.append(tx, EVOLVER_ACTOR, {
        action: 'SKILL_EVOLVER_DISABLED',
        subject: { type: 'setting', id: 'GUILDBOOK_EVOLVER_ENABLED' },
        data: {},
      }),
    );
  }

  private async executeCycle(id: string, { dryRun }: CycleRequest, to: Date): Promise<Cycle> {
    const from = new Date(to.getTime() - this.config.evolverWindowDays * DAY_MS);
    const startedMs = performance.now();
    let [read, renewed] = [0, 0];
    const reader = await this.miningState.advance(from, to, async (executions) => {
      read += executions;
      this.running = { id, read };
      if (read < renewed + RENEW_EVERY) return;
      renewed = read;
      await this.renewLease(id);
    });
    const extendLease = (more: number): Promise<void> => this.renewLease(id, more);
    const known = await this.knownClaims();
    const found = await this.claims.during((meanings) =>
      finishCycleFrom(this.executions, reader, { ...known, ...(meanings ? { meanings } : {}) }, this.config),
    );
    const outcome = limitToQueueRoom(found, await this.queue.freePlaces());
    const tally = new WordingTally();
    const context = { id, window: { from, to }, tally, extendLease };
    const results = dryRun
      ? outcome.drafts.map((draft) => cycleResultOf(draft, { outcome: 'dry_run', proposalId: null, reason: null }))
      : await this.submitter.submit(outcome, context);
    if (!dryRun) await this.recordLive(id, outcome, known);
    const cost = await this.wordingModel.costOf(id);
    const seconds = Math.round(performance.now() - startedMs) / 1_000;
    const facts = { from, to, seconds, wording: tally.report(), ...cost };
    return this.recordCompleted(id, outcome, results, facts);
  }

  /** Renews the lease by its normal duration plus `more` milliseconds, so that no second cycle starts meanwhile. */
  private async renewLease(id: string, more = 0): Promise<void> {
    if (!(await this.take(id, more)))
      throw new DomainError('conflict', 'evolver.lease_lost', 'Another process has taken over the cycle.');
  }

  /** Returns what is approved, pending or rejected. */
  private async knownClaims(): Promise<KnownClaimsInput> {
    const entries = await this.org.live(this.database.client);
    const [pending, approved] = [await this.queue.pending(), await this.queue.approved()];
    return knownClaimsInput(entries, pending, approved, await this.queue.rejections(), await this.queue.merged());
  }

  /** What the cycle found about live skills. */
  private async recordLive(id: string, outcome: CycleOutcome, { orgEntries }: KnownClaimsInput): Promise<void> {
    for (const finding of liveFindings(outcome, orgEntries))
      await this.database.transaction((tx) => this.liveChecks.record(tx, EVOLVER_ACTOR, finding, id));
  }

  private async recordStarted(actor: JobActor, id: string, request: CycleRequest, startedAt: Date): Promise<void> {
    this.logger.log({ event: 'SKILL_EVOLVER_CYCLE_START', cycle: id, ...request });
    await this.database.transaction(async (tx) => {
      // This cycle has the lease, so the process of another one that runs has died.
      for (const dead of await this.cycles.failOthers(tx, id, DEAD, startedAt))
        await this.journal.append(tx, EVOLVER_ACTOR, {
          action: 'SKILL_EVOLVER_CYCLE_FAILED',
          subject: { type: 'cycle', id: dead },
          data: { reason: DEAD },
        });
      await this.cycles.start(tx, { id, ...request, startedAt });
      await this.journal.append(tx, actor, {
        action: 'SKILL_EVOLVER_CYCLE_START',
        subject: { type: 'cycle', id },
        data: { ...request },
      });
    });
  }

  private recordCompleted(
    id: string,
    outcome: CycleOutcome,
    results: readonly CycleResult[],
    facts: CycleMetadata,
  ): Promise<Cycle> {
    const report = reportOf(outcome, results, facts);
    const { executionsRead, patterns, kept, emitted, heldBack } = report;
    this.logger.log({ event: 'SKILL_EVOLVER_CYCLE_COMPLETE', cycle: id, executionsRead, patterns, kept, emitted });
    return this.database.transaction(async (tx) => {
      await this.journal.append(tx, EVOLVER_ACTOR, {
        action: 'SKILL_EVOLVER_CYCLE_COMPLETE',
        subject: { type: 'cycle', id },
        data: { executionsRead, patterns, kept, emitted, heldBack },
      });
      return this.cycles.complete(tx, id, { report, families: outcome.examination.stored, at: this.clock.now() });
    });
  }

  private async recordFailed(id: string, error: unknown): Promise<void> {
    const reason = clip(redact(messageOf(error)).text, 500);
    this.logger.error({ event: 'SKILL_EVOLVER_CYCLE_FAILED', cycle: id, reason });
    await this.database.transaction(async (tx) => {
      await this.cycles.fail(tx, id, reason, this.clock.now());
      await this.journal.append(tx, EVOLVER_ACTOR, {
        action: 'SKILL_EVOLVER_CYCLE_FAILED',
        subject: { type: 'cycle', id },
        data: { reason },
      });
    });
  }
}

function countCycle({ report }: Cycle, milliseconds: number): void {
  count('guildbook_cycles_total', { result: 'completed' });
  measure('guildbook_cycle_duration_seconds', milliseconds / SECOND_MS, {});
  for (const verdict of VERDICTS) count('guildbook_candidates_total', { verdict }, report?.candidates[verdict] ?? 0);
}
