import { slotOf } from './numbering.js';

const EMPTY = -1;
const SMALLEST = 8;

/** When a number was last seen, for {@link Counts.countDistinct}. */
let marks = new Int32Array(1_024);
let lastMark = 0;

function newMark(): number {
  lastMark += 1;
  if (lastMark > 2_000_000_000) {
    marks.fill(0);
    lastMark = 1;
  }
  return lastMark;
}

function enlarge(from: Int32Array<ArrayBuffer>, key: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * key + 2);
  more.set(from);
  return more;
}

/**
 * Counts occurrences of numbers from 0 to 2^53: a hash table in two plain arrays, a third of the size of a Map. A
 * million executions, and ten thousand agents for each of thousands of approaches, must fit into memory. A number whose
 * count falls to 0 is removed.
 */
export class Counts {
  private keys: Int32Array | Float64Array;
  /** Undefined while every count is 1, as for the executions of a pattern. */
  private values: Int32Array | undefined;
  private used = 0;

  /** `narrow`: the numbers are below 2^31. `expected`: the approximate number of entries. */
  constructor(
    private readonly narrow: boolean = true,
    expected = 0,
  ) {
    const room = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2((expected * 4) / 3 + 1)));
    this.keys = this.emptyKeys(room);
  }

  /** Counts each number once. */
  static of(numbers: Iterable<number>): Counts {
    const counts = new Counts();
    for (const number of numbers) counts.increment(number, 1);
    return counts;
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
    const [first] = all;
    const sum = new Counts(
      first?.narrow ?? true,
      all.reduce((size, one) => size + one.size, 0),
    );
    for (const one of all) sum.add(one);
    return sum;
  }

  add(other: Counts): void {
    for (let at = 0; at < other.keys.length; at += 1) {
      const key = other.keys[at] ?? EMPTY;
      if (key !== EMPTY) this.increment(key, other.valueAt(at));
    }
  }

  /** In arbitrary order. */
  *numbers(): Generator<number> {
    for (const key of this.keys) if (key !== EMPTY) yield key;
  }

  /** Returns how many distinct numbers occur in all of these; for small numbers, such as those of agents. */
  static countDistinct(all: readonly Counts[]): number {
    const [only, ...others] = all;
    if (!only || others.length === 0) return only?.size ?? 0;
    let different = 0;
    const mark = newMark();
    for (const { keys } of all)
      for (const key of keys) {
        if (key === EMPTY) continue;
        if (key >= marks.length) marks = enlarge(marks, key);
        if (marks[key] === mark) continue;
        marks[key] = mark;
        different += 1;
      }
    return different;
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

  private emptyKeys(room: number): Int32Array | Float64Array {
    return (this.narrow ? new Int32Array(room) : new Float64Array(room)).fill(EMPTY);
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
    this.keys = this.emptyKeys(room);
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
