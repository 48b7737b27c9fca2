import { slotOf } from './numbering.js';

const EMPTY = -1;
const SMALLEST = 8;

const emptyKeys = (room: number): Int32Array => new Int32Array(room).fill(EMPTY);

/**
 * Counts occurrences of numbers below 2^31: a hash table in two plain arrays, a third of the size of a Map. A million
 * executions, and the agents of thousands of families, must fit into memory. A number whose count falls to 0 is removed.
 */
export class Counts {
  private keys: Int32Array;
  /** Undefined while every count is 1, as for the executions of a family. */
  private values: Int32Array | undefined;
  private used = 0;

  /** `expected`: the approximate number of entries. */
  constructor(expected = 0) {
    const room = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2((expected * 4) / 3 + 1)));
    this.keys = emptyKeys(room);
  }

  get size(): number {
    return this.used;
  }

  get(key: number): number {
    const at = this.find(key);
    return this.keys[at] === key ? this.valueAt(at) : 0;
  }

  has(key: number): boolean {
    return this.keys[this.find(key)] === key;
  }

  set(key: number, value: number): void {
    const at = this.find(key);
    if (this.keys[at] === key) {
      if (value > 0) this.put(at, value);
      else this.removeAt(at);
      return;
    }
    if (value <= 0) return;
    this.keys[at] = key;
    this.put(at, value);
    this.used += 1;
    if (this.used * 4 > this.keys.length * 3) this.resize(this.keys.length * 2);
  }

  increment(key: number, by: number): void {
    const at = this.find(key);
    if (by > 0 && this.keys[at] === key) this.put(at, this.valueAt(at) + by);
    else this.set(key, this.get(key) + by);
  }

  /** Returns the sum of all counts, reading each of them once: they are as large as the window. */
  static sum(all: readonly Counts[]): Counts {
    const sum = new Counts(all.reduce((size, one) => size + one.size, 0));
    for (const one of all) sum.add(one);
    return sum;
  }

  private add(other: Counts): void {
    for (let at = 0; at < other.keys.length; at += 1) {
      const key = other.keys[at] ?? EMPTY;
      if (key !== EMPTY) this.increment(key, other.valueAt(at));
    }
  }

  /** In arbitrary order. */
  *numbers(): Generator<number> {
    for (const key of this.keys) if (key !== EMPTY) yield key;
  }

  private valueAt(at: number): number {
    return this.values ? (this.values[at] ?? 1) : 1;
  }

  private put(at: number, value: number): void {
    if (!this.values) {
      if (value === 1) return;
      this.values = new Int32Array(this.keys.length).fill(1);
    }
    this.values[at] = value;
  }

  /** Returns the slot of a key, or the free slot for it. */
  private find(key: number): number {
    const mask = this.keys.length - 1;
    for (let at = slotOf(key) & mask; ; at = (at + 1) & mask) {
      const here = this.keys[at];
      if (here === key || here === EMPTY) return at;
    }
  }

  /** Moves later entries of the same probe sequence up, so that each stays reachable. */
  private removeAt(gap: number): void {
    const mask = this.keys.length - 1;
    let hole = gap;
    for (let at = (gap + 1) & mask; this.keys[at] !== EMPTY; at = (at + 1) & mask) {
      const home = slotOf(this.keys[at] ?? 0) & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.keys[hole] = this.keys[at] ?? EMPTY;
      this.put(hole, this.valueAt(at));
      hole = at;
    }
    this.keys[hole] = EMPTY;
    this.used -= 1;
    if (this.keys.length > SMALLEST && this.used * 8 < this.keys.length) this.resize(this.keys.length / 2);
  }

  private resize(room: number): void {
    const [keys, values] = [this.keys, this.values];
    this.keys = emptyKeys(room);
    this.values = values && new Int32Array(room);
    for (let from = 0; from < keys.length; from += 1) {
      const key = keys[from] ?? EMPTY;
      if (key === EMPTY) continue;
      const at = this.find(key);
      this.keys[at] = key;
      if (values) this.put(at, values[from] ?? 1);
    }
  }
}
