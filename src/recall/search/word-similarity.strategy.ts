import { Injectable } from '@nestjs/common';
import { bigramSimilarity, type Similarity } from '../ranking/diversity.js';
import type { Comparable, Comparison, SimilarityStrategy } from './similarity.js';

/** The Jaccard index of word bigrams. Needs no model, and is the default. */
@Injectable()
export class WordSimilarity implements SimilarityStrategy {
  readonly name = 'word_bigrams';

  async compare(memories: readonly Comparable[]): Promise<Comparison> {
    return { similarity: similarityOfWords(memories), warnings: [] };
  }
}

export const similarityOfWords = (memories: readonly Comparable[]): Similarity =>
  bigramSimilarity(memories.map(comparedText));

const comparedText = ({ lesson }: Comparable): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
