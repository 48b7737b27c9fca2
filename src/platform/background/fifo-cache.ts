/**
 * Values by key, as many as there is room for: the ones that were set first give way. Reading a value does not make it
 * younger. A value is shared, so nobody may change it.
 */
export class FifoCache<V> {
  private readonly entries = new Map<string, V>();
  private totalWeight = 0;
  /** Goes on where it stopped: what it has passed is deleted. */
  private oldest: Iterator<string> | undefined;

  /** Room for the sum of what `weigh` says of each value, or for so many values. */
  constructor(
    private readonly capacity: number,
    private readonly weigh: (value: V) => number = () => 1,
  ) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  /** The value of the key, made and set where there is none; a value may be undefined. */
  getOrCreate(key: string, make: () => V): V {
    const known = this.entries.get(key);
    // What `has` says is there is a V, also where that is undefined.
    if (known !== undefined || this.entries.has(key)) return known as V;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** The key becomes the youngest, also one that had a value. */
  set(key: string, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    this.totalWeight += this.weigh(value);
    while (this.totalWeight > this.capacity) this.deleteOldest();
  }

  delete(key: string): void {
    const value = this.entries.get(key);
    // As above.
    if (this.entries.delete(key)) this.totalWeight -= this.weigh(value as V);
  }

  /** By one iterator for all: a new one would look at every deleted place of the map again. */
  private deleteOldest(): void {
    this.oldest ??= this.entries.keys();
    const next = this.oldest.next();
    if (next.done) this.oldest = undefined;
    else this.delete(next.value);
  }
}
