import { Inject, Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Tx } from '../../platform/database/database.js';
import { LatentEmbedder } from '../../recall/embedding/latent-embedder.strategy.js';
import { UnreadableModel } from '../../recall/embedding/model-bytes.js';
import type { ServedEmbedder, ServedReference } from '../../recall/embedding/served-embedder.js';
import { EMBEDDER } from '../../recall/index/memory-vectors.service.js';
import { CheckpointRepository } from '../checkpoints/checkpoint.repository.js';
import { NotSupported, unknownCheckpoint } from '../checkpoints/tuning.errors.js';

/** Turns stored checkpoints into embedders. */
@Injectable()
export class CheckpointEmbedders {
  constructor(
    @Inject(EMBEDDER) private readonly served: ServedEmbedder,
    private readonly checkpoints: CheckpointRepository,
  ) {}

  /**
   * The embedder of a checkpoint; without an id, the configured one. Throws `not_found` if there is no such checkpoint or
   * it was deleted, and NotSupported if it cannot be served.
   */
  async open(tx: Tx, id: string | null): Promise<ServedReference> {
    if (id === null) return this.served.configured;
    const checkpoint = await this.checkpoints.find(tx, id);
    const model = await this.checkpoints.model(tx, id);
    if (!checkpoint || model === undefined) throw unknownCheckpoint(id);
    const { kind, name, modelSha256 } = checkpoint;
    if (kind !== 'base')
      throw unusable(name, 'it is a map of queries, which this version no longer applies. Put another one in service');
    if (sha256(model) !== modelSha256) throw unusable(name, 'its bytes are damaged');
    try {
      return { embedder: new LatentEmbedder(model, checkpoint), displayName: name, checkpointId: id };
    } catch (error) {
      if (error instanceof UnreadableModel) throw unusable(name, error.message);
      throw error;
    }
  }
}

const unusable = (name: string, why: string): NotSupported =>
  new NotSupported('checkpoint_unusable', `The checkpoint ${name} cannot be served: ${why}.`);
