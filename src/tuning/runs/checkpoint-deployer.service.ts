import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Database } from '../../platform/database/database.js';
import { EmbedderUnavailable } from '../../recall/embedding/embedder.js';
import { MemoryVectors } from '../../recall/index/memory-vectors.service.js';
import { CheckpointRepository } from '../checkpoints/checkpoint.repository.js';
import { CheckpointEmbedders } from '../checkpoints/checkpoint-embedders.service.js';
import { EmbedderDeployments } from '../checkpoints/embedder-deployments.service.js';
import { EmbedderSwitch } from '../checkpoints/embedder-switch.service.js';
import { unknownCheckpoint } from '../checkpoints/tuning.errors.js';
import type { MeasuredAgain } from '../checkpoints/tuning.schema.js';
import type { TrainingResult } from '../learning/training-contract.js';

/** Who changes what is served, and ends runs, without a person. */
export const TUNING_ACTOR = jobActor('embedder-tuning');
const LOOK_MS = 100;
/** nDCG@10 that a deployed checkpoint may lose. */
const MAX_LOSS = 0.005;

/** Puts the checkpoint of a run in service: first its vectors, then the row, then the reference of this process. */
@Injectable()
export class CheckpointDeployer {
  constructor(
    private readonly database: Database,
    private readonly checkpoints: CheckpointRepository,
    private readonly embedders: CheckpointEmbedders,
    private readonly vectors: MemoryVectors,
    private readonly deployments: EmbedderDeployments,
    private readonly embedderSwitch: EmbedderSwitch,
  ) {}

  /** `goOn` throws if the run has ended meanwhile. */
  async deploy(checkpointId: string, expected: string | null, goOn: () => Promise<void>): Promise<void> {
    const served = await this.embedders.open(this.database.client, checkpointId);
    while (!this.vectors.prepare(served.embedder)) {
      const problem = this.vectors.problemOf(served.embedder);
      if (problem !== null) throw new EmbedderUnavailable(problem);
      await goOn();
      await sleep(LOOK_MS);
    }
    await goOn();
    await this.deployments.deploy(TUNING_ACTOR, checkpointId, expected);
    await this.embedderSwitch.follow();
  }

  /** What is in service, as it was stored. */
  async stored(checkpointId: string): Promise<Pick<TrainingResult, 'model' | 'weight' | 'minSimilarity'>> {
    const { client } = this.database;
    const checkpoint = await this.checkpoints.find(client, checkpointId);
    const model = await this.checkpoints.model(client, checkpointId);
    if (!checkpoint || !model) throw unknownCheckpoint(checkpointId);
    return { model, weight: checkpoint.weight, minSimilarity: checkpoint.minSimilarity };
  }

  /** Puts back what was served before if the checkpoint is in service and harms. Returns true if it did. */
  async takeBackIfHarmful(
    checkpointId: string,
    servedBefore: string | null,
    { gateGain, probeGain }: MeasuredAgain,
  ): Promise<boolean> {
    if (Math.min(gateGain, probeGain) >= -MAX_LOSS) return false;
    // An administrator may have put something else in service.
    const { checkpointId: current } = await this.checkpoints.active(this.database.client);
    if (current !== checkpointId) return false;
    const why = `Measured again: ${gateGain.toFixed(4)} on the gate, ${probeGain.toFixed(4)} on the probe.`;
    await this.deployments.rollBack(TUNING_ACTOR, servedBefore, why);
    await this.embedderSwitch.follow();
    return true;
  }
}
