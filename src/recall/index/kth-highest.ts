/** Returns the `k`-th highest score of the first `count` documents, for 1 ≤ k ≤ count. */
export function kthHighest(scores: Float64Array, documents: Int32Array, count: number, k: number): number {
  const heap = new Float64Array(k);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const score = scores[documents[i] ?? 0] ?? 0;
    if (size < k) {
      heap[size] = score;
      rise(heap, size++);
    } else if (score > (heap[0] ?? 0)) {
      heap[0] = score;
      sink(heap, k);
    }
  }
  return heap[0] ?? 0;
}

function rise(heap: Float64Array, from: number): void {
  for (let at = from; at > 0; ) {
    const above = (at - 1) >> 1;
    if ((heap[above] ?? 0) <= (heap[at] ?? 0)) return;
    swap(heap, above, at);
    at = above;
  }
}

function sink(heap: Float64Array, size: number): void {
  for (let at = 0; ; ) {
    let least = at;
    for (const below of [2 * at + 1, 2 * at + 2])
      if (below < size && (heap[below] ?? 0) < (heap[least] ?? 0)) least = below;
    if (least === at) return;
    swap(heap, least, at);
    at = least;
  }
}

function swap(heap: Float64Array, a: number, b: number): void {
  const value = heap[a] ?? 0;
  heap[a] = heap[b] ?? 0;
  heap[b] = value;
}
