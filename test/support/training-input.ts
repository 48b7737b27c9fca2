import { SeededRandom } from '../../src/platform/base/seeded-random.js';
import { hashedEmbedding } from '../../src/recall/embedding/hashed-embedding.js';
import { termsOf } from '../../src/recall/ranking/terms.js';
import type { TrainingInput } from '../../src/tuning/learning/training-contract.js';

const TOPICS = 100;
const WORDS_OF_TOPIC = 5;
/** Letters without a common piece. Stemming leaves them alone, and the topic does not show in the spelling. */
const word = (topic: number, at: number): string => {
  const random = new SeededRandom(1_000 * topic + at);
  return `${Array.from({ length: 6 }, () => 'bdfgklmnprtvz'[random.below(13)]).join('')}o`;
};

/**
 * Documents hold three words of their topic, and a query asks for a topic with one word: the words alone miss most of the
 * documents, and latent semantic analysis finds them. Vectors are those of the hashed embedder.
 */
export function topicInput(queries: number, seed = 1): TrainingInput {
  const random = new SeededRandom(99);
  const documents = Array.from({ length: 5 * TOPICS }, (_, at) => {
    const topic = at % TOPICS;
    const text = Array.from({ length: 3 }, () => word(topic, random.below(WORDS_OF_TOPIC))).join(' ');
    const id = `d${String(at).padStart(3, '0')}`;
    return {
      id,
      text,
      terms: termsOf(text),
      ownerId: null,
      createdAt: random.below(1_000),
      vector: hashedEmbedding(text),
    };
  });
  const asked = Array.from({ length: queries }, (_, at) => {
    const topic = at % TOPICS;
    const text = `${word(topic, random.below(WORDS_OF_TOPIC))} number ${at}`;
    const relevant = documents.filter((_, document) => document % TOPICS === topic).map(({ id }) => id);
    return { text, relevant, vector: hashedEmbedding(text) };
  });
  const served = { name: 'hashed-pieces/1/512', weight: 0.002, minSimilarity: 0.15 };
  return { seed, documents, queries: asked, foreign: [], served };
}
