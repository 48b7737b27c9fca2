import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import type { Similarity } from '../ranking/diversity.js';
import type { SimilarityName } from '../ranking/ranking-profile.schema.js';

export type Comparable = Pick<RecallableMemory, 'id' | 'lesson' | 'skillName'>;

/** Compares the given memories by their positions. */
export interface Comparison {
  readonly similarity: Similarity;
  readonly warnings: readonly string[];
}

/** The injection token of the similarity that the profile chooses. */
export const SIMILARITY = Symbol('similarity');

/** How far two memories say the same, for diversity. One conformance suite runs over every implementation. */
export interface SimilarityStrategy {
  readonly name: SimilarityName;
  /** Prepares the comparison. The similarity is symmetric, in [0, 1], and 1 for two memories with the same text. */
  compare(memories: readonly Comparable[]): Promise<Comparison>;
}
