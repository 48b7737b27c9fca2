import { createHash } from 'node:crypto';

/** The same choices for the same seed. */
export class SeededChoices {
  private made = 0;

  constructor(private readonly seed: string) {}

  /** A whole number from 0 up to `limit`, without it. */
  below(limit: number): number {
    this.made += 1;
    return createHash('sha256').update(`${this.seed} ${this.made}`).digest().readUInt32BE() % limit;
  }

  of<T>(options: readonly T[]): T {
    if (options.length === 0) throw new TypeError('there is nothing to choose from');
    // In range, as the line above makes sure.
    return options[this.below(options.length)] as T;
  }
}
