import { Inject, Injectable, Logger } from '@nestjs/common';
import { Journal } from '../../journal/journal.service.js';
import { defineWorker } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { SECOND_MS } from '../../platform/base/durations.js';
import { stackOf } from '../../platform/base/error-text.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import { CheckpointRepository } from '../checkpoints/checkpoint.repository.js';
import { CheckpointEmbedders } from '../checkpoints/checkpoint-embedders.service.js';
import { failureOf } from '../checkpoints/embedder-deployments.service.js';
import type { TuningRun, TuningStage } from '../checkpoints/tuning.schema.js';
import type { TrainingInput, TrainingProgress, TrainingResult } from '../learning/training-contract.js';
import { CheckpointDeployer, TUNING_ACTOR } from './checkpoint-deployer.service.js';
import { inputSha256, TrainingSets } from './training-set.service.js';
import { TrainingThread } from './training-thread.service.js';
import { TuningFolders } from './tuning-folders.service.js';
import { type StoredTuningRun, TuningRunRepository } from './tuning-run.repository.js';

const LEASE = 'embedder-tuning';
/** Milliseconds between two looks at a run that shows its progress. */
const PROGRESS_MS = 500;

type Progress = TuningRun['progress'];

const STAGES: Readonly<Record<TrainingProgress['stage'], TuningStage>> = {
  split: 'train',
  fit: 'train',
  choose: 'choose',
  gate: 'gate',
};

/**
 * Does the run that waits, stage by stage, under a lease: one process at a time. Its verdict and its checkpoint are stored;
 * a training that is killed begins again, and the same memory and seed make the same checkpoint.
 */
@Injectable()
export class TuningRunner extends defineWorker({ every: 5 * SECOND_MS, atStart: false }) {
  private readonly logger = new Logger(TuningRunner.name);
  private readonly holder: string;
  private isStopping = false;
  private shownAt = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly runs: TuningRunRepository,
    private readonly checkpoints: CheckpointRepository,
    private readonly sets: TrainingSets,
    private readonly thread: TrainingThread,
    private readonly embedders: CheckpointEmbedders,
    private readonly deployer: CheckpointDeployer,
    private readonly folders: TuningFolders,
  ) {
    super();
    this.holder = ids.uuid();
  }

  /** Ends the thread of a run that was cancelled. */
  stopThread(): Promise<void> {
    return this.thread.stop();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.thread.stop();
    await super.beforeApplicationShutdown();
  }

  protected async step(): Promise<boolean> {
    const { client } = this.database;
    const run = await this.runs.active(client);
    if (!run || this.isStopping || !(await this.holdLease())) return false;
    try {
      await this.execute(run);
      return true;
    } catch (error) {
      if (error instanceof RunEnded || this.isStopping) return false;
      await this.fail(run, error);
      return true;
    } finally {
      await releaseLease(client, LEASE, this.holder);
    }
  }

  private async execute(run: StoredTuningRun): Promise<void> {
    const { client } = this.database;
    requireRunning(await this.runs.begin(client, run.id, this.clock.now()));
    if (run.kind !== 'base') throw new Error('This version trains no map of queries. Start a run of the base.');
    if (run.verdict && !run.checkpointId) return this.complete(run, 'kept');
    const servedId = await this.servedBefore(run);
    const input = await this.gather(run, servedId);
    const checkpointId = run.checkpointId ?? (await this.train(run, input));
    if (checkpointId === null) return this.complete(run, 'kept');
    await this.stage(run, 'deploy');
    if (run.plan.outputDir !== undefined) await this.writeFile(run.plan.outputDir, checkpointId);
    await this.deployer.deploy(checkpointId, servedId, () => this.goOn());
    await this.complete(run, await this.measure(run, input, checkpointId, servedId));
  }

  /** What was served before the checkpoint of this run, if that is in service already. */
  private async servedBefore(run: StoredTuningRun): Promise<string | null> {
    const { client } = this.database;
    const { checkpointId } = await this.checkpoints.active(client);
    if (run.checkpointId !== null && run.checkpointId === checkpointId) return run.servedCheckpointId;
    requireRunning(await this.runs.setServed(client, run.id, checkpointId));
    return checkpointId;
  }

  private async gather(run: StoredTuningRun, servedId: string | null): Promise<TrainingInput> {
    const { client } = this.database;
    await this.stage(run, 'collect');
    const { embedder } = await this.embedders.open(client, servedId);
    const set = await this.sets.collect(run.plan, run.plan.overrides.maxDocuments ?? this.config.tuningMaxDocuments);
    await this.stage(run, 'embed');
    const input = await this.sets.embed(set, run.plan.seed, embedder, (done, total) =>
      this.showProgress(run, 'embed', { done, total }),
    );
    const facts = {
      documents: set.documents.length,
      queries: set.queries.length,
      inputSha256: inputSha256(input),
    };
    const isOther = run.inputSha256 !== null && run.inputSha256 !== facts.inputSha256 && run.verdict === null;
    const notes = isOther ? ['Memory or what is served changed since the run began. The training began again.'] : [];
    requireRunning(await this.runs.setInput(client, run.id, facts, notes));
    return input;
  }

  /** Returns the id of the checkpoint; null if what is served stays. */
  private async train(run: StoredTuningRun, input: TrainingInput): Promise<string | null> {
    const coreShare = run.plan.overrides.coreShare ?? this.config.tuningCoreShare;
    await this.stage(run, 'train');
    const last = await this.thread.run({ input, coreShare }, ({ stage, ...progress }) =>
      this.stage(run, STAGES[stage], progress),
    );
    if (last?.kind !== 'result') throw new RunEnded();
    return this.store(run, input, last.result);
  }

  private async store(run: StoredTuningRun, input: TrainingInput, result: TrainingResult): Promise<string | null> {
    const { model, name, dimensions, weight, minSimilarity, verdict } = result;
    const id = this.ids.uuid();
    const stored = { ...verdict, reasons: verdict.reasons.map((one) => ({ ...one })) };
    await this.database.transaction(async (tx) => {
      requireRunning(await this.runs.setVerdict(tx, run.id, stored, verdict.deploy ? id : null));
      if (!verdict.deploy) return;
      await this.checkpoints.insert(tx, {
        id,
        runId: run.id,
        kind: run.kind,
        name,
        dimensions,
        weight,
        minSimilarity,
        model,
        baseName: name,
        modelSha256: sha256(model),
        measures: verdict.measures,
        documents: input.documents.length,
        createdAt: this.clock.now(),
      });
      await this.journal.append(tx, TUNING_ACTOR, {
        action: 'memory.checkpoint_created',
        subject: { type: 'embedder_checkpoint', id },
        data: { run: run.id, name, sha256: sha256(model) },
      });
    });
    return verdict.deploy ? id : null;
  }

  /** Measures what is stored and in service. Takes it back if it harms. */
  private async measure(
    run: StoredTuningRun,
    input: TrainingInput,
    checkpointId: string,
    servedId: string | null,
  ): Promise<'deployed' | 'rolled_back'> {
    const { client } = this.database;
    await this.stage(run, 'measure');
    const result = await this.deployer.stored(checkpointId);
    const last = await this.thread.run({ input, result, coreShare: 1 }, () => this.goOn());
    if (last?.kind !== 'measured') throw new RunEnded();
    requireRunning(await this.runs.setMeasuredAgain(client, run.id, last.measured));
    return (await this.deployer.takeBackIfHarmful(checkpointId, servedId, last.measured)) ? 'rolled_back' : 'deployed';
  }

  private async writeFile(folder: string, checkpointId: string): Promise<void> {
    const { model } = await this.deployer.stored(checkpointId);
    await this.folders.write(folder, `${checkpointId}.checkpoint`, model);
  }

  private async complete(run: StoredTuningRun, outcome: 'deployed' | 'kept' | 'rolled_back'): Promise<void> {
    await this.database.transaction(async (tx) => {
      requireRunning(await this.runs.complete(tx, run.id, outcome, this.clock.now()));
      await this.journal.append(tx, TUNING_ACTOR, {
        action: 'memory.tuning_completed',
        subject: { type: 'tuning_run', id: run.id },
        data: { kind: run.kind, outcome },
      });
    });
    this.logger.log(`the tuning run ${run.id} ended: ${outcome}`);
  }

  private async fail(run: StoredTuningRun, error: unknown): Promise<void> {
    this.logger.error(stackOf(error));
    const failure = failureOf(error);
    await this.database.transaction(async (tx) => {
      if (!(await this.runs.fail(tx, run.id, failure, this.clock.now()))) return;
      await this.journal.append(tx, TUNING_ACTOR, {
        action: 'memory.tuning_failed',
        subject: { type: 'tuning_run', id: run.id },
        data: { kind: run.kind, failure },
      });
    });
  }

  private async stage(run: StoredTuningRun, stage: TuningStage, progress?: Progress): Promise<void> {
    await this.goOn();
    requireRunning(await this.runs.setStage(this.database.client, run.id, stage, progress));
  }

  private async showProgress(run: StoredTuningRun, stage: TuningStage, progress: Progress): Promise<void> {
    const now = performance.now();
    if (now - this.shownAt < PROGRESS_MS) return;
    this.shownAt = now;
    await this.stage(run, stage, progress);
  }

  /** Renews the lease. Throws RunEnded if another process has it, or this one stops. */
  private async goOn(): Promise<void> {
    if (this.isStopping || !(await this.holdLease())) throw new RunEnded();
  }

  private holdLease(): Promise<boolean> {
    return takeLease(
      this.database.client,
      LEASE,
      this.holder,
      this.clock.now(),
      this.config.tuningLeaseSeconds * 1_000,
    );
  }
}

/** A run that was cancelled, or that another process has, is no longer this one's to change. */
function requireRunning(isStillRunning: boolean): void {
  if (!isStillRunning) throw new RunEnded();
}

/** The run was cancelled, another process has taken it, or this process stops: there is nothing to record. */
class RunEnded extends Error {
  override readonly name = 'RunEnded';
}
