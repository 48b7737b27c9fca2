/**
 * Takes items in order while the rendered whole fits into the budget. An item that does not fit is left out, and a later,
 * smaller one may still be taken. `tokensOf` measures the whole message, including the framing.
 */
export function pack<T>(items: readonly T[], budget: number, tokensOf: (taken: readonly T[]) => number): T[] {
  // The common case, which needs no measurement item by item.
  if (tokensOf(items) <= budget) return [...items];
  let taken: readonly T[] = [];
  for (const item of items) {
    const larger = [...taken, item];
    if (tokensOf(larger) <= budget) taken = larger;
  }
  return [...taken];
}
