import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Actor, AdminActor, JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ServedEmbedder } from '../../recall/embedding/served-embedder.js';
import { EMBEDDER } from '../../recall/index/memory-vectors.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { CheckpointRepository, type StoredCheckpoint } from '../checkpoints/checkpoint.repository.js';
import { EmbedderDeployments } from '../checkpoints/embedder-deployments.service.js';
import { EmbedderSwitch } from '../checkpoints/embedder-switch.service.js';
import { busy, NotSupported, unknownCheckpoint, unknownRun } from '../checkpoints/tuning.errors.js';
import {
  type ActiveEmbedder,
  type CancelledRun,
  CONFIGURED,
  type EmbedderCheckpoint,
  type EmbedderCheckpointList,
  type GuardedOperation,
  type RollbackTarget,
  type TuningPlan,
  type TuningPreflight,
  type TuningRun,
  type TuningRunPage,
  type TuningRunQuery,
  type TuningStatus,
} from '../checkpoints/tuning.schema.js';
import { TuningPreflights } from './tuning-preflight.service.js';
import { type StoredTuningRun, TuningRunRepository } from './tuning-run.repository.js';
import { TuningRunner } from './tuning-runner.service.js';

/**
 * The single way in for the administration of the embedder behind memory: REST, MCP and the schedule call these verbs and
 * nothing below them. Verbs that write take their actor and write the journal in their transaction.
 */
@Injectable()
export class MemoryService {
  private readonly logger = new Logger(MemoryService.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(EMBEDDER) private readonly served: ServedEmbedder,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly runs: TuningRunRepository,
    private readonly checkpoints: CheckpointRepository,
    private readonly preflights: TuningPreflights,
    private readonly runner: TuningRunner,
    private readonly deployments: EmbedderDeployments,
    private readonly embedderSwitch: EmbedderSwitch,
  ) {}

  /** What a plan would read, and whether its result could be deployed. Writes nothing. */
  async preflight(plan: TuningPlan): Promise<TuningPreflight> {
    this.requireVectors();
    return this.preflights.check(plan);
  }

  /** Queues a run. Throws `conflict` while another one is active, and `invalid` for a plan that this machine cannot do. */
  async start(actor: AdminActor | JobActor, plan: TuningPlan): Promise<TuningRun> {
    this.requireVectors();
    const { blocks } = await this.preflights.blocks(plan);
    if (blocks.length > 0)
      throw new DomainError('invalid', 'tuning.plan_refused', blocks.map(({ text }) => text).join(' '));
    const id = this.ids.uuid();
    const started = await this.database.transaction(async (tx) => {
      const run = {
        id,
        plan,
        createdAt: this.clock.now(),
        trigger: actor.kind === 'job' ? ('schedule' as const) : ('request' as const),
        requestedBy: actor.kind === 'job' ? null : actor.id,
      };
      if (!(await this.runs.insert(tx, run))) throw busy();
      await this.record(tx, actor, 'memory.tuning_started', id, { kind: plan.kind, seed: plan.seed });
      return this.find(tx, id);
    });
    this.runner.wake();
    return shown(started);
  }

  /** Queues a run again that failed or was cancelled. What it decided and made before stays. */
  async resume(actor: AdminActor, id: string): Promise<TuningRun> {
    this.requireVectors();
    const resumed = await this.database.transaction(async (tx) => {
      await this.find(tx, id);
      if (await this.runs.active(tx)) throw busy();
      if (!(await this.runs.resume(tx, id)))
        throw new DomainError(
          'conflict',
          'tuning.not_resumable',
          'Only a run that failed or was cancelled can resume.',
        );
      await this.record(tx, actor, 'memory.tuning_resumed', id, {});
      return this.find(tx, id);
    });
    this.runner.wake();
    return shown(resumed);
  }

  /** The run with this id; without one, the active run, or else the newest. */
  async status(id?: string): Promise<TuningStatus> {
    const { client } = this.database;
    const run =
      id === undefined
        ? ((await this.runs.active(client)) ?? (await this.runs.newest(client)))
        : await this.find(client, id);
    return { active: run?.state === 'queued' || run?.state === 'running', run: run ? shown(run) : null };
  }

  /** Cancels the active run. Returns its id, and null if none was active. */
  async cancel(actor: AdminActor, operation: GuardedOperation): Promise<CancelledRun> {
    requireGuard(operation);
    const cancelled = await this.database.transaction(async (tx) => {
      const id = await this.runs.cancel(tx, this.clock.now());
      if (id !== null) await this.recordOperation(tx, actor, 'tuning_run', id, 'embedder.cancel', operation);
      return id;
    });
    if (cancelled !== null) await this.runner.stopThread();
    return { cancelled };
  }

  async listRuns(query: TuningRunQuery): Promise<TuningRunPage> {
    const { runs, total } = await this.runs.page(this.database.client, query);
    return { items: runs.map(shown), total };
  }

  /** What this process serves, at this moment. */
  async activeEmbedder(): Promise<ActiveEmbedder> {
    const { client } = this.database;
    const { embedder, displayName, checkpointId } = this.served.current;
    const { switchedAt, checkpointId: named } = await this.checkpoints.active(client);
    const { problem } = this.embedderSwitch;
    const checkpoint = checkpointId === null ? undefined : await this.checkpoints.find(client, checkpointId);
    return {
      name: displayName,
      configured: this.served.configured.displayName,
      checkpointId,
      kind: checkpoint?.kind ?? null,
      weight: embedder.weight,
      minSimilarity: embedder.minSimilarity,
      since: switchedAt?.toISOString() ?? null,
      next: named === checkpointId || problem !== null ? null : await this.nameOf(named),
      problem,
    };
  }

  private async nameOf(id: string | null): Promise<string> {
    if (id === null) return this.served.configured.displayName;
    return (await this.checkpoints.find(this.database.client, id))?.name ?? id;
  }

  async listCheckpoints(): Promise<EmbedderCheckpointList> {
    const { client } = this.database;
    const { checkpointId } = await this.checkpoints.active(client);
    return { items: (await this.checkpoints.list(client)).map((one) => shownCheckpoint(one, checkpointId)) };
  }

  /** Puts a checkpoint, or the configured embedder, in service. One transaction; processes follow within seconds. */
  async rollback(actor: AdminActor, target: RollbackTarget, operation: GuardedOperation): Promise<ActiveEmbedder> {
    requireGuard(operation);
    const id = target === CONFIGURED ? null : target;
    try {
      await this.deployments.rollBack(actor, id, operation.reason, (tx) =>
        this.recordOperation(tx, actor, 'embedder_checkpoint', target, 'embedder.rollback', operation),
      );
    } catch (error) {
      if (error instanceof NotSupported) this.logNotSupported(error);
      throw error;
    }
    await this.embedderSwitch.follow();
    return this.activeEmbedder();
  }

  /** Deletes the model of a checkpoint that nothing in service needs. Its numbers stay. */
  async deleteCheckpoint(actor: AdminActor, id: string, operation: GuardedOperation): Promise<EmbedderCheckpoint> {
    requireGuard(operation);
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const { checkpointId } = await this.checkpoints.lockActive(tx, now);
      const checkpoint = await this.checkpoints.find(tx, id);
      if (!checkpoint) throw unknownCheckpoint(id);
      if (checkpointId === id)
        throw new DomainError(
          'conflict',
          'tuning.checkpoint_active',
          'This checkpoint is in service. Roll back first.',
        );
      const run = await this.runs.active(tx);
      if (run && (run.checkpointId === id || run.servedCheckpointId === id))
        throw new DomainError('conflict', 'tuning.checkpoint_in_use', 'A run needs this checkpoint.');
      if (!(await this.checkpoints.delete(tx, checkpoint, now)))
        throw new DomainError('conflict', 'tuning.checkpoint_deleted', 'This checkpoint was deleted before.');
      await this.recordOperation(tx, actor, 'embedder_checkpoint', id, 'embedder.delete', operation);
      return shownCheckpoint({ ...checkpoint, bytes: null, deletedAt: now }, checkpointId);
    });
  }

  private async find(tx: Tx, id: string): Promise<StoredTuningRun> {
    const run = await this.runs.find(tx, id);
    if (!run) throw unknownRun(id);
    return run;
  }

  /** A tuned embedder is of no use where recall asks none. */
  private requireVectors(): void {
    const { retrieval } = this.config;
    if (retrieval !== 'words' && retrieval !== 'keyword_overlap') return;
    const error = new NotSupported(
      'retrieval_without_vectors',
      `GUILDBOOK_RETRIEVAL is ${retrieval}, which uses no embedder. Set it to hybrid or vectors.`,
    );
    this.logNotSupported(error);
    throw error;
  }

  private logNotSupported({ reason, message }: NotSupported): void {
    this.logger.warn(`memory.not_supported (${reason}): ${message}`);
  }

  private async record(tx: Tx, actor: Actor, action: string, id: string, data: object): Promise<void> {
    await this.journal.append(tx, actor, { action, subject: { type: 'tuning_run', id }, data: { ...data } });
  }

  private async recordOperation(
    tx: Tx,
    actor: AdminActor,
    type: 'tuning_run' | 'embedder_checkpoint',
    target: string,
    operation: string,
    { reason }: GuardedOperation,
  ): Promise<void> {
    await this.journal.append(tx, actor, {
      action: 'admin.operation_executed',
      subject: { type, id: target },
      data: { operation, target, reason: redact(reason).text },
    });
  }
}

/** The schemas of every way in demand the same; this covers casts. */
function requireGuard({ confirm, reason }: GuardedOperation): void {
  if (confirm !== true || reason.trim() === '')
    throw new DomainError('invalid', 'request.invalid', 'This operation needs confirm: true and a reason.', [
      ...(confirm === true ? [] : [{ field: 'confirm', message: 'must be true' }]),
      ...(reason.trim() === '' ? [{ field: 'reason', message: 'must not be blank' }] : []),
    ]);
}

function shown(run: StoredTuningRun): TuningRun {
  const { servedCheckpointId: _internal, ...rest } = run;
  return {
    ...rest,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    savedAt: run.savedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
  };
}

const shownCheckpoint = (checkpoint: StoredCheckpoint, activeId: string | null): EmbedderCheckpoint => ({
  ...checkpoint,
  active: checkpoint.id === activeId,
  createdAt: checkpoint.createdAt.toISOString(),
  deletedAt: checkpoint.deletedAt?.toISOString() ?? null,
});
