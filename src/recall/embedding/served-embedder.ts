import type { Embedder } from './embedder.js';

/** What is in service: an embedder, and the checkpoint that it comes from. */
export interface ServedReference {
  readonly embedder: Embedder;
  /** What people see: the name of the configured embedder or of the checkpoint. Vectors are stored by `embedder.name`. */
  readonly displayName: string;
  /** Null: the configured embedder. */
  readonly checkpointId: string | null;
}

/**
 * The one embedder that recall uses. It holds one reference, which a switch replaces as a whole: what reads `current`
 * once has an embedder, its weight, its threshold and the name of its vectors that belong together.
 */
export class ServedEmbedder implements Embedder {
  readonly configured: ServedReference;
  private reference: ServedReference;

  constructor(embedder: Embedder) {
    this.configured = { embedder, displayName: embedder.name, checkpointId: null };
    this.reference = this.configured;
  }

  get current(): ServedReference {
    return this.reference;
  }

  /** Requests that began before keep what they read; the next one reads this. */
  switchTo(reference: ServedReference): void {
    this.reference = reference;
  }

  get name(): string {
    return this.reference.embedder.name;
  }

  get knowsMeaning(): boolean {
    return this.reference.embedder.knowsMeaning;
  }

  get minSimilarity(): number {
    return this.reference.embedder.minSimilarity;
  }

  get weight(): number {
    return this.reference.embedder.weight;
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return this.reference.embedder.embed(texts);
  }
}
