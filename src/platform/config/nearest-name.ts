const TYPING_ERRORS = 3;

/**
 * Returns the known name that was probably meant: the one with the smallest edit distance if that can be a typing
 * error, else the one that shares the most words. The first of several equal ones.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const words = new Set(name.split('_'));
  const ranked = known
    .map((candidate) => ({
      candidate,
      distance: editDistance(name, candidate),
      shared: candidate.split('_').filter((word) => words.has(word)).length,
    }))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = ranked;
  if (nearest === undefined || nearest.distance <= TYPING_ERRORS) return nearest?.candidate;
  return ranked.sort((a, b) => b.shared - a.shared)[0]?.candidate;
}

/**
 * Returns the known name of which `name` can be a misspelling: at most three wrong characters, and not more than a third
 * of the name. Case does not count.
 */
export function nearName(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const limit = Math.min(TYPING_ERRORS, Math.floor(given.length / 3));
  const near = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(given, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

export function editDistance(from: string, to: string): number {
  // One row per character of `from`: the distances of its first characters to every prefix of `to`.
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 1; j < row.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
