/** The time that a piece of work may take. */
export interface TimeBudget {
  isSpent(): boolean;
}

/** A budget of this many milliseconds from now. */
export function timeBudget(milliseconds: number): TimeBudget {
  const end = performance.now() + milliseconds;
  return { isSpent: () => performance.now() >= end };
}
