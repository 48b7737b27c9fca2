import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of work between two rests: long enough that resting costs nothing, short enough to notice a stop. */
const SLICE_MS = 25;

/**
 * Repeats `step` until it returns false, and rests so long that at most `share` of one core is used: from 0 to 1.
 * `afterSlice` gets the milliseconds since the last slice that it was true for.
 */
export async function inSlices(
  step: () => boolean,
  share: number,
  afterSlice: (sinceMs: number) => boolean = () => true,
): Promise<void> {
  let since = performance.now();
  for (;;) {
    const began = performance.now();
    let hasMore = true;
    while (hasMore && performance.now() - began < SLICE_MS) hasMore = step();
    const ended = performance.now();
    if (afterSlice(ended - since)) since = ended;
    if (!hasMore) return;
    await sleep((performance.now() - began) * (1 / share - 1));
  }
}
