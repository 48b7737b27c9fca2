/**
 * A cache with a bounded total weight. When it is full, it evicts the entries that were set first; reading an entry
 * does not renew it. Callers share the values and must not change them.
 */
export class FifoCache<V> {
  private readonly entries = new Map<string, V>();
  private totalWeight = 0;
  /** Continues where it stopped: entries that it has passed are deleted. */
  private oldest: Iterator<string> | undefined;

  /**
   * `capacity` limits the sum of `weightOf` over all values. By default each value weighs 1, so that it limits their
   * number.
   */
  constructor(
    private readonly capacity: number,
    private readonly weightOf: (value: V) => number = () => 1,
  ) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  /** Returns the value of the key. Creates and stores it if the key is missing; a stored value may be undefined. */
  getOrCreate(key: string, make: () => V): V {
    const known = this.entries.get(key);
    // The key exists, so its value is a V, even if that is undefined.
    if (known !== undefined || this.entries.has(key)) return known as V;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Sets the value. The key becomes the newest entry, even if it existed before. */
  set(key: string, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    this.totalWeight += this.weightOf(value);
    while (this.totalWeight > this.capacity) this.deleteOldest();
  }

  delete(key: string): void {
    const value = this.entries.get(key);
    // Deleted, so the key existed and its value is a V, even if undefined.
    if (this.entries.delete(key)) this.totalWeight -= this.weightOf(value as V);
  }

  /** Uses one iterator for all evictions: a new one would visit every deleted slot of the map again. */
  private deleteOldest(): void {
    this.oldest ??= this.entries.keys();
    const next = this.oldest.next();
    if (next.done) this.oldest = undefined;
    else this.delete(next.value);
  }
}
