const FREE = -1;
const SMALLEST = 16;

/**
 * Numbers from 0 for things that are known by a number of up to 2^53, such as a hash: small ones, that arrays can be
 * indexed by. A thing that is taken twice has one number, until it was released as often; then another thing gets it.
 * 16 bytes a thing, where a Map takes a hundred: a million executions have to fit into memory, each with an origin and a root.
 */
export class Numbering {
  /** A hash table of numbers. What each stands for is looked up in {@link keys}. */
  private table = new Int32Array(SMALLEST).fill(FREE);
  private keys = new Float64Array(SMALLEST);
  /** How often each was taken; undefined as long as each was taken once at most. */
  private useCounts: Int32Array | undefined;
  private readonly released: number[] = [];
  private assigned = 0;

  get size(): number {
    return this.assigned - this.released.length;
  }

  /** Undefined where it has none. */
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

  /** Where it is, or where it would be put. */
  private slotFor(key: number): number {
    const mask = this.table.length - 1;
    for (let at = slotOf(key) & mask; ; at = (at + 1) & mask) {
      const number = this.table[at] ?? FREE;
      if (number === FREE || this.keys[number] === key) return at;
    }
  }

  /** What was put behind it because its own place was taken moves up, so that nothing is looked for in vain. */
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

/** Spreads what lies close together (Knuth's multiplicative hashing, then the upper bits folded in). */
export function slotOf(key: number): number {
  const mixed = Math.imul((key % 4_294_967_296) ^ (key / 4_294_967_296), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
