import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApprovalQueue } from '../../approvals/queue/approval-queue.service.js';
import { type JobActor, job } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { messageOf } from '../../platform/base/thrown.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import { LessonWording } from '../../propose/questions/lesson-wording.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import type { KnownInput } from '../drafts/known-claims.js';
import { knownInput } from '../drafts/known-input.js';
import { WordingTally } from '../wording/wording-tally.js';
import { type CycleOutcome, type CycleSettings, concludeCycle, withinRoom } from './cycle.js';
import { CycleRepository } from './cycle.repository.js';
import { type CycleFacts, findingOf, reportOf } from './cycle-report.js';
import type { Cycle, CycleFinding, CycleList } from './cycles.schema.js';
import { MinedWindow } from './mined-window.service.js';
import { Placing } from './placing.service.js';

const LEASE = 'evolver-cycle';
const LEASE_MS = 30 * MINUTE_MS;
/** A long window must not outlive the lease, or a second cycle would start beside this one. */
const RENEW_EVERY = 5_000;
/** Who has cycles run by themselves. */
export const SCHEDULE = job('evolver-schedule');
const ACTOR = job('evolver');

export interface CycleRequest {
  readonly trigger: Cycle['trigger'];
  readonly dryRun: boolean;
}

/** From the executions of all agents to proposals in the queue. It reads, and submits; it can write nothing else. */
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
    private readonly mined: MinedWindow,
    private readonly org: OrgEntries,
    private readonly queue: ApprovalQueue,
    private readonly placing: Placing,
    private readonly lessonWording: LessonWording,
  ) {}

  /** Runs one cycle to its end. Throws `conflict` while another one runs, in whichever process. */
  async run(actor: JobActor, request: CycleRequest): Promise<Cycle> {
    return (await this.begin(actor, request)).report;
  }

  /** Begins one: it is on record and goes on by itself. `report` is it at its end. Throws `conflict` as above. */
  async begin(actor: JobActor, request: CycleRequest): Promise<{ id: string; report: Promise<Cycle> }> {
    const id = this.ids.uuid();
    const startedAt = this.clock.now();
    const mine = await takeLease(this.database.client, LEASE, id, startedAt, new Date(startedAt.getTime() + LEASE_MS));
    if (!mine) throw new DomainError('conflict', 'evolver.busy', 'A cycle is running already; wait for its report.');
    try {
      await this.started(actor, id, request, startedAt);
    } catch (error) {
      await releaseLease(this.database.client, LEASE, id);
      throw error;
    }
    return { id, report: this.toItsEnd(id, request, startedAt) };
  }

  /** How many executions the cycle has read that runs in this process; nothing of one that runs in another. */
  progress(id: string): number | undefined {
    return this.running?.id === id ? this.running.read : undefined;
  }

  private async toItsEnd(id: string, request: CycleRequest, startedAt: Date): Promise<Cycle> {
    try {
      return await this.cycle(id, request, startedAt);
    } catch (error) {
      await this.failed(id, error);
      throw error;
    } finally {
      this.running = undefined;
      await releaseLease(this.database.client, LEASE, id);
    }
  }

  /** Called at a start with the evolver off: journalled once after it ran by itself, so that the end of it is on record. */
  async disabled(): Promise<void> {
    this.logger.log({ event: 'SKILL_EVOLVER_DISABLED', by: 'GUILDBOOK_EVOLVER_ENABLED' });
    const newest = async (action: string) =>
      (await this.journal.list({ action, after: 0, limit: 50, order: 'newest' })).items;
    const [off] = await newest('SKILL_EVOLVER_DISABLED');
    const ran = (await newest('SKILL_EVOLVER_CYCLE_START')).find(({ actor }) => actor.id === SCHEDULE.id);
    if (ran === undefined || (off !== undefined && off.seq > ran.seq)) return;
    await this.database.transaction((tx) =>
      this.journal.append(tx, ACTOR, {
        action: 'SKILL_EVOLVER_DISABLED',
        subject: { type: 'setting', id: 'GUILDBOOK_EVOLVER_ENABLED' },
        data: {},
      }),
    );
  }

  async list(limit: number): Promise<CycleList> {
    return { items: await this.cycles.list(this.database.client, limit) };
  }

  async show(id: string): Promise<Cycle> {
    const cycle = await this.cycles.find(this.database.client, id);
    if (!cycle) throw new DomainError('not_found', 'evolver.unknown_cycle', `There is no cycle ${id}.`);
    return cycle;
  }

  private async cycle(id: string, { dryRun }: CycleRequest, to: Date): Promise<Cycle> {
    const from = new Date(to.getTime() - this.config.evolverWindowDays * DAY_MS);
    const began = performance.now();
    let [read, renewed] = [0, 0];
    const reader = await this.mined.advance(from, to, async (executions) => {
      read += executions;
      this.running = { id, read };
      if (read < renewed + RENEW_EVERY) return;
      renewed = read;
      await this.renewLease(id);
    });
    const outcome = withinRoom(concludeCycle(reader, await this.known(), this.settings()), await this.queue.room());
    const tally = new WordingTally();
    const placed = { id, window: { from, to }, tally, holdFor: (more: number) => this.renewLease(id, more) };
    const findings = dryRun
      ? outcome.drafts.map((draft) => findingOf(draft, { outcome: 'dry_run', approvalId: null, reason: null }))
      : await this.placing.place(outcome, placed);
    const cost = await this.lessonWording.costOf(id);
    const seconds = Math.round(performance.now() - began) / 1_000;
    return this.completed(id, outcome, findings, { from, to, seconds, wording: tally.report(), ...cost });
  }

  /** For as long as ever, and for what may take `more`: a second cycle would start beside this one. */
  private async renewLease(id: string, more = 0): Promise<void> {
    const now = this.clock.now();
    const held = await takeLease(this.database.client, LEASE, id, now, new Date(now.getTime() + LEASE_MS + more));
    if (!held) throw new DomainError('conflict', 'evolver.lease_lost', 'Another process has taken over the cycle.');
  }

  /** What is approved, waiting or was rejected. */
  private async known(): Promise<KnownInput> {
    const entries = await this.org.live(this.database.client);
    const [pending, approved] = [await this.queue.pending(), await this.queue.approved()];
    return knownInput(entries, pending, approved, await this.queue.rejections());
  }

  private settings(): CycleSettings {
    return {
      minAgentsForPattern: this.config.minAgentsForPattern,
      minOwnersForPattern: this.config.minOwnersForPattern,
      minConfidence: this.config.minConfidenceForOrgPromotion,
      maxProposalsPerCycle: this.config.maxProposalsPerCycle,
    };
  }

  private async started(actor: JobActor, id: string, request: CycleRequest, startedAt: Date): Promise<void> {
    this.logger.log({ event: 'SKILL_EVOLVER_CYCLE_START', cycle: id, ...request });
    await this.database.transaction(async (tx) => {
      await this.cycles.start(tx, { id, ...request, startedAt });
      await this.journal.append(tx, actor, {
        action: 'SKILL_EVOLVER_CYCLE_START',
        subject: { type: 'cycle', id },
        data: { ...request },
      });
    });
  }

  private completed(
    id: string,
    outcome: CycleOutcome,
    findings: readonly CycleFinding[],
    facts: CycleFacts,
  ): Promise<Cycle> {
    const report = reportOf(outcome, findings, facts);
    const { executionsRead, patterns, kept, emitted, heldBack } = report;
    this.logger.log({ event: 'SKILL_EVOLVER_CYCLE_COMPLETE', cycle: id, executionsRead, patterns, kept, emitted });
    return this.database.transaction(async (tx) => {
      await this.journal.append(tx, ACTOR, {
        action: 'SKILL_EVOLVER_CYCLE_COMPLETE',
        subject: { type: 'cycle', id },
        data: { executionsRead, patterns, kept, emitted, heldBack },
      });
      return this.cycles.complete(tx, id, report, this.clock.now());
    });
  }

  private async failed(id: string, error: unknown): Promise<void> {
    const reason = clip(redact(messageOf(error)).text, 500);
    this.logger.error({ event: 'SKILL_EVOLVER_CYCLE_FAILED', cycle: id, reason });
    await this.database.transaction(async (tx) => {
      await this.cycles.fail(tx, id, reason, this.clock.now());
      await this.journal.append(tx, ACTOR, {
        action: 'SKILL_EVOLVER_CYCLE_FAILED',
        subject: { type: 'cycle', id },
        data: { reason },
      });
    });
  }
}
