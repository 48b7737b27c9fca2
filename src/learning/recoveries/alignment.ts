/** Pairs of places of the longest common subsequence of two token lists. Quadratic: lists are bounded by their caller. */
export function aligned(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      best[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** A place at which two token lists differ. */
export interface Hunk {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The edit script from one token list to another. */
export function hunksOf(from: readonly string[], to: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...aligned(from, to), [from.length, to.length] as const]) {
    if (x > i || y > j) hunks.push({ removed: from.slice(i, x), added: to.slice(j, y) });
    [i, j] = [x + 1, y + 1];
  }
  return hunks;
}
