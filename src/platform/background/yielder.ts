import { setImmediate } from 'node:timers/promises';

const PIECES = 64;
const TURN_MS = 2;

/** Resolves after everything else that is ready in this process had its turn. */
export const nextTurn = (): Promise<void> => setImmediate();

/**
 * Lets a long loop give the event loop its turns: after 64 pieces, or 2 milliseconds, everything else that is ready in
 * this process runs first. Several loops that share a yielder share each turn.
 */
export class Yielder {
  private pieces = 0;
  private began = performance.now();
  private others: Promise<void> | undefined;

  /** To be awaited after each piece of the work. */
  async next(): Promise<void> {
    this.pieces += 1;
    if (this.pieces < PIECES && performance.now() - this.began < TURN_MS) return;
    this.others ??= nextTurn().then(() => {
      this.pieces = 0;
      this.began = performance.now();
      this.others = undefined;
    });
    await this.others;
  }
}
