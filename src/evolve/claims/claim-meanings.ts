import { dotProduct } from '../../platform/base/dot-product.js';

/** Turns texts into unit vectors. The evolver owns the interface; the application gives it the configured embedder. */
export interface TextEmbedder {
  /** The cosine from which two texts may have anything in common, which differs between models. */
  readonly minSimilarity: number;
  /** Returns a unit vector for each text, in the same order. Throws if it cannot answer now. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** Texts of one comparison whose vectors were not known. */
type MissingTexts = ReadonlySet<string>;

/**
 * The similarity of claims by meaning, from vectors that were computed before: comparisons are synchronous. It notes the
 * texts whose vectors are missing, so that they can be computed for another round.
 */
export class ClaimMeanings {
  private readonly unknown = new Set<string>();
  private readonly used = new Set<string>();

  constructor(
    private readonly vectors: ReadonlyMap<string, Float32Array>,
    private readonly minSimilarity: number,
  ) {}

  /** The texts that were compared without a vector. */
  get missing(): MissingTexts {
    return this.unknown;
  }

  /** The texts whose vectors were read. */
  get read(): ReadonlySet<string> {
    return this.used;
  }

  /**
   * Similarity from 0 to 1: 0 at the model's least similarity of a match, 1 for the same meaning. So the thresholds of
   * supersession, at one half, mean the same for every model. 0 while a vector is missing.
   */
  readonly similarity = (a: string, b: string): number => {
    if (a === b) return 1;
    const [one, other] = [this.vectorOf(a), this.vectorOf(b)];
    if (one === undefined || other === undefined) return 0;
    const scaled = (dotProduct(one, other) - this.minSimilarity) / (1 - this.minSimilarity);
    return Number.isFinite(scaled) ? Math.min(1, Math.max(0, scaled)) : 0;
  };

  private vectorOf(text: string): Float32Array | undefined {
    const vector = this.vectors.get(text);
    (vector === undefined ? this.unknown : this.used).add(text);
    return vector;
  }
}
