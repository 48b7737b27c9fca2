import type { Embedder } from './embedder.js';
import { LatentModel, latentName } from './latent-model.js';

/** Works without a network from the bytes of a model that was fitted on the stored documents. */
export class LatentEmbedder implements Embedder {
  readonly name: string;
  readonly knowsMeaning = false;
  readonly dimensions: number;
  readonly minSimilarity: number;
  readonly weight: number;
  private readonly model: LatentModel;

  /** Throws UnreadableModel for bytes that are not a complete model. */
  constructor(bytes: Uint8Array, settings: { readonly weight: number; readonly minSimilarity: number }) {
    this.model = LatentModel.read(bytes);
    this.dimensions = this.model.dimensions;
    this.name = latentName(bytes, this.dimensions);
    this.minSimilarity = settings.minSimilarity;
    this.weight = settings.weight;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.model.embed(text));
  }
}
