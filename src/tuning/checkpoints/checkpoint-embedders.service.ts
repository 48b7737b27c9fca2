import { Inject, Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Tx } from '../../platform/database/database.js';
import { AdaptedEmbedder } from '../../recall/embedding/adapted-embedder.strategy.js';
import type { Embedder } from '../../recall/embedding/embedder.js';
import { LatentEmbedder } from '../../recall/embedding/latent-embedder.strategy.js';
import { UnreadableModel } from '../../recall/embedding/model-bytes.js';
import { ServedEmbedder, type ServedReference } from '../../recall/embedding/served-embedder.js';
import { EMBEDDER } from '../../recall/index/memory-vectors.service.js';
import { CheckpointRepository, type StoredCheckpoint } from '../checkpoints/checkpoint.repository.js';
import { NotSupported, unknownCheckpoint } from '../checkpoints/tuning.errors.js';

export interface OpenedCheckpoint {
  readonly served: ServedReference;
  /** The map of its queries, if it is one. */
  readonly adapter?: Uint8Array;
}

/** Turns stored checkpoints into embedders. */
@Injectable()
export class CheckpointEmbedders {
  constructor(
    @Inject(EMBEDDER) private readonly served: ServedEmbedder,
    private readonly checkpoints: CheckpointRepository,
  ) {}

  get configured(): ServedReference {
    return this.served.configured;
  }

  /**
   * The embedder of a checkpoint; without an id, the configured one. Throws `not_found` if there is no such checkpoint or
   * it was deleted, and NotSupported if it cannot be served.
   */
  async open(tx: Tx, id: string | null): Promise<OpenedCheckpoint> {
    if (id === null) return { served: this.configured };
    const checkpoint = await this.checkpoints.find(tx, id);
    const model = await this.checkpoints.model(tx, id);
    if (!checkpoint || model === undefined) throw unknownCheckpoint(id);
    return this.opened(tx, checkpoint, model);
  }

  private async opened(tx: Tx, checkpoint: StoredCheckpoint, model: Uint8Array): Promise<OpenedCheckpoint> {
    const { id, kind, name, baseName, weight, minSimilarity, modelSha256 } = checkpoint;
    if (sha256(model) !== modelSha256) throw unusable(name, 'its bytes are damaged');
    const reference = (embedder: Embedder): ServedReference => ({ embedder, displayName: name, checkpointId: id });
    try {
      if (kind === 'base') return { served: reference(new LatentEmbedder(model, { weight, minSimilarity })) };
      const base = await this.baseOf(tx, baseName);
      if (!base) throw unusable(name, `it was made for ${baseName}, which is not in use here`);
      const adapted = new AdaptedEmbedder(base, model, { weight, minSimilarity });
      return { served: reference(adapted), adapter: model };
    } catch (error) {
      if (error instanceof UnreadableModel) throw unusable(name, error.message);
      throw error;
    }
  }

  /** The embedder whose vectors a map was made for: the configured one, or a live checkpoint. */
  private async baseOf(tx: Tx, name: string): Promise<Embedder | undefined> {
    if (this.configured.embedder.name === name) return this.configured.embedder;
    const id = await this.checkpoints.liveBase(tx, name);
    return id === undefined ? undefined : (await this.open(tx, id)).served.embedder;
  }
}

const unusable = (name: string, why: string): NotSupported =>
  new NotSupported('checkpoint_unusable', `The checkpoint ${name} cannot be served: ${why}.`);
