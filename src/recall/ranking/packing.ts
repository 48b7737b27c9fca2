/**
 * Takes items in their order as long as the whole, as it would be sent, fits into the budget; one that does not fit is
 * left out, and a later, smaller one may still come in. `tokensOf` measures everything: the framing counts, too.
 */
export function pack<T>(items: readonly T[], budget: number, tokensOf: (taken: readonly T[]) => number): T[] {
  // Nearly always: then it needs no measuring one by one.
  if (tokensOf(items) <= budget) return [...items];
  let taken: readonly T[] = [];
  for (const item of items) {
    const larger = [...taken, item];
    if (tokensOf(larger) <= budget) taken = larger;
  }
  return [...taken];
}
