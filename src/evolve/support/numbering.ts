const FREE = -1;
const SMALLEST = 16;

/**
 * Gives keys of up to 2^53, such as hashes, small numbers from 0, which can index arrays. A key that is taken twice
 * keeps its number until it was released as often; then another key gets the number. Uses 16 bytes for a key instead of
 * a hundred in a Map: a million executions with their origins and roots must fit into memory.
 */
export class Numbering {
  /** A hash table of numbers; {@link keys} holds the key of each number. */
  private table = new Int32Array(SMALLEST).fill(FREE);
  private keys = new Float64Array(SMALLEST);
  /** How often each number was taken; undefined while each was taken at most once. */
  private useCounts: Int32Array | undefined;
  private readonly released: number[] = [];
  private assigned = 0;

  get size(): number {
    return this.assigned - this.released.length;
  }

  /** All numbers are below. */
  get bound(): number {
    return this.assigned;
  }

  /** The key of a number that is taken. */
  keyOf(number: number): number {
    return this.keys[number] ?? 0;
  }

  /** Returns undefined if the key has no number. */
  find(key: number): number | undefined {
    const number = this.table[this.slotFor(key)] ?? FREE;
    return number === FREE ? undefined : number;
  }

  take(key: number): number {
    const at = this.slotFor(key);
    const known = this.table[at] ?? FREE;
    if (known !== FREE) {
      this.useCounts ??= new Int32Array(this.keys.length).fill(1);
      this.useCounts[known] = (this.useCounts[known] ?? 1) + 1;
      return known;
    }
    const number = this.released.pop() ?? this.assigned++;
    if (number >= this.keys.length) this.grow();
    this.keys[number] = key;
    if (this.useCounts) this.useCounts[number] = 1;
    this.table[at] = number;
    if (this.size * 4 > this.table.length * 3) this.rehash(this.table.length * 2);
    return number;
  }

  release(number: number): void {
    if (this.useCounts) {
      const left = (this.useCounts[number] ?? 1) - 1;
      this.useCounts[number] = left;
      if (left > 0) return;
    }
    this.removeAt(this.slotFor(this.keys[number] ?? 0));
    this.released.push(number);
  }

  /** Returns the slot of a key, or the free slot for it. */
  private slotFor(key: number): number {
    const mask = this.table.length - 1;
    for (let at = slotOf(key) & mask; ; at = (at + 1) & mask) {
      const number = this.table[at] ?? FREE;
      if (number === FREE || this.keys[number] === key) return at;
    }
  }

  /** Moves later entries of the same probe sequence up, so that each stays reachable. */
  private removeAt(gap: number): void {
    const mask = this.table.length - 1;
    let hole = gap;
    for (let at = (gap + 1) & mask; this.table[at] !== FREE; at = (at + 1) & mask) {
      const number = this.table[at] ?? FREE;
      const home = slotOf(this.keys[number] ?? 0) & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.table[hole] = number;
      hole = at;
    }
    this.table[hole] = FREE;
  }

  private grow(): void {
    const [keys, taken] = [this.keys, this.useCounts];
    this.keys = new Float64Array(2 * keys.length);
    this.keys.set(keys);
    if (!taken) return;
    this.useCounts = new Int32Array(2 * keys.length).fill(1);
    this.useCounts.set(taken);
  }

  private rehash(room: number): void {
    const numbers = this.table;
    this.table = new Int32Array(room).fill(FREE);
    for (const number of numbers) if (number !== FREE) this.table[this.slotFor(this.keys[number] ?? 0)] = number;
  }
}

/** Spreads neighbouring keys (Knuth's multiplicative hashing, then the upper bits folded in). */
export function slotOf(key: number): number {
  const mixed = Math.imul((key % 4_294_967_296) ^ (key / 4_294_967_296), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
