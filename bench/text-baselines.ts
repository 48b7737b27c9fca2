/** Simple clusterings of texts for comparison. */

export const PREFIX = 40;

/** Clusters texts with equal beginnings: the rule of the reference system. */
export function byPrefix(texts: readonly string[], length = PREFIX): string[] {
  return texts.map((text) => text.slice(0, length));
}

interface Vector {
  readonly weights: ReadonlyMap<string, number>;
}

/**
 * Clusters texts by TF-IDF over words and cosine similarity. A text joins the most similar leader if it is similar
 * enough; otherwise it becomes a leader (leader clustering, in the order of the texts).
 */
export function byTfIdf(texts: readonly string[], similar = 0.5): string[] {
  const unique = [...new Set(texts)];
  const words = unique.map(wordsOf);
  const documents = new Map<string, number>();
  for (const own of words) for (const word of new Set(own)) documents.set(word, (documents.get(word) ?? 0) + 1);
  const vectors = words.map((own) => vectorOf(own, documents, unique.length));
  const leaders: { vector: Vector; name: string }[] = [];
  const nameOf = new Map<string, string>();
  vectors.forEach((vector, at) => {
    let best: { name: string; score: number } = { name: '', score: -1 };
    for (const leader of leaders) {
      const score = cosine(vector, leader.vector);
      if (score > best.score) best = { name: leader.name, score };
    }
    if (best.score < similar) {
      best = { name: `group ${leaders.length}`, score: 1 };
      leaders.push({ vector, name: best.name });
    }
    nameOf.set(unique[at] ?? '', best.name);
  });
  return texts.map((text) => nameOf.get(text) ?? '');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{1,60}/gu) ?? [];
}

function vectorOf(words: readonly string[], documents: ReadonlyMap<string, number>, n: number): Vector {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const raw = [...counts].map(([word, count]): [string, number] => [
    word,
    count * (Math.log((1 + n) / (1 + (documents.get(word) ?? 0))) + 1),
  ]);
  const norm = Math.sqrt(raw.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1;
  return { weights: new Map(raw.map(([word, weight]) => [word, weight / norm])) };
}

function cosine(a: Vector, b: Vector): number {
  const [small, large] = a.weights.size <= b.weights.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [word, weight] of small.weights) sum += weight * (large.weights.get(word) ?? 0);
  return sum;
}
