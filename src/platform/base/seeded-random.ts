/** Mulberry32 (T. Ettinger): the same numbers for a seed on every machine, and its whole state is one number of 32 bits. */
export class SeededRandom {
  private current: number;

  constructor(seed: number) {
    this.current = seed >>> 0;
  }

  get state(): number {
    return this.current;
  }

  /** In [0, 1). */
  uniform(): number {
    this.current = (this.current + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.current ^ (this.current >>> 15), this.current | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.uniform() * limit);
  }

  /** Standard normal (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
}
