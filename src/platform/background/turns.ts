import { setImmediate } from 'node:timers/promises';

const PIECES = 64;
const TURN_MS = 2;

/**
 * Long work in short turns: after 64 pieces, or 2 milliseconds, whatever else waits in this process comes first. Several
 * that work at once share each turn.
 */
export class Turns {
  private pieces = 0;
  private began = performance.now();
  private others: Promise<void> | undefined;

  /** To be awaited after each piece of the work. */
  async next(): Promise<void> {
    this.pieces += 1;
    if (this.pieces < PIECES && performance.now() - this.began < TURN_MS) return;
    this.others ??= setImmediate().then(() => {
      this.pieces = 0;
      this.began = performance.now();
      this.others = undefined;
    });
    await this.others;
  }
}
