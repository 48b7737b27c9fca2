import { type CountRecord, type CountRecordOf, type SavedNumbers, slices } from '../support/count-records.schema.js';
import { hashOf } from '../support/ledger.js';

/**
 * The bounds: `keys` with a count, above which keys with one use are dropped; executions that are `kept` for each key,
 * and `read` of them at most; executions kept for all keys `inAll`.
 */
export const USAGE_SETTINGS = { keys: 500_000, kept: 240, read: 120, inAll: 4_000_000 } as const;

/** Actions of one saved record, each with a few hundred executions at most. */
const KEYS_SAVED_TOGETHER = 50;

/** Hashes below `1 / 2^level` are kept. */
interface Thinned {
  level: number;
  executions: number;
}

/**
 * Counts the executions that used an action, and keeps a sample of them: those whose hash is below a threshold, which
 * falls as there are more. So the sample depends on the executions alone, not on their order, as long as none has left;
 * afterwards it may be smaller than that of a new index.
 */
export class UsageSamples {
  private readonly kept = new Map<string, number[]>();
  /** Keys of which not all executions are kept. */
  private readonly thinned = new Map<string, Thinned>();
  /** The hash of an execution by its number, from 0 to 1. */
  private hashes = new Float64Array(1_024);
  private total = 0;
  private perKey: number = USAGE_SETTINGS.kept;

  constructor(private readonly settings: { readonly [K in keyof typeof USAGE_SETTINGS]: number } = USAGE_SETTINGS) {
    this.perKey = settings.kept;
  }

  /** `execution`: its number in the ledger. */
  add(execution: number, executionId: string, keys: Iterable<string>): void {
    const hash = this.setHash(execution, executionId);
    for (const key of keys) this.addTo(key, execution, hash);
    if (this.kept.size > this.settings.keys) this.shedKeys();
    while (this.total > this.settings.inAll && this.perKey > 1) this.halve();
  }

  /** Takes back what {@link add} added. */
  remove(execution: number, keys: Iterable<string>): void {
    const hash = this.hashes[execution] ?? 0;
    for (const key of keys) {
      const own = this.kept.get(key);
      const thin = this.thinned.get(key);
      if (own === undefined) continue;
      if (thin) thin.executions -= 1;
      if (thin === undefined || hash < 2 ** -thin.level) {
        const at = own.indexOf(execution);
        if (at >= 0) {
          own.splice(at, 1);
          this.total -= 1;
        }
      }
      if ((thin?.executions ?? own.length) <= 0) this.forget(key);
    }
  }

  /** Returns how many executions used it. */
  count(key: string): number {
    return this.thinned.get(key)?.executions ?? this.kept.get(key)?.length ?? 0;
  }

  /** Returns executions that used any of these: at most {@link USAGE_SETTINGS.read} of each, in the order of their hashes. */
  sampleOf(keys: Iterable<string>): number[] {
    const sample = new Set<number>();
    for (const key of keys)
      for (const execution of this.byHash(this.kept.get(key) ?? []).slice(0, this.settings.read)) sample.add(execution);
    return this.byHash([...sample]);
  }

  *records(numbers: SavedNumbers): Generator<CountRecord> {
    yield { of: 'usage limit', perKey: this.perKey };
    for (const slice of slices(this.kept, KEYS_SAVED_TOGETHER))
      yield {
        of: 'usage',
        actions: slice.map(([key, sample]) => {
          const thinned = this.thinned.get(key);
          return {
            key,
            sample: sample.map((one) => numbers.execution(one)).sort((a, b) => a - b),
            ...(thinned ? { thinned: { ...thinned } } : {}),
          };
        }),
      };
  }

  /** Adds what {@link records} gave, after the hashes of its executions. */
  restore({ actions }: CountRecordOf<'usage'>): void {
    for (const { key, sample, thinned } of actions) {
      this.kept.set(key, sample);
      this.total += sample.length;
      if (thinned) this.thinned.set(key, { ...thinned });
    }
  }

  restoreLimit({ perKey }: CountRecordOf<'usage limit'>): void {
    this.perKey = perKey;
  }

  /** Notes an execution whose actions are restored afterwards. */
  restoreExecution(execution: number, executionId: string): void {
    this.setHash(execution, executionId);
  }

  private byHash(executions: readonly number[]): number[] {
    return [...executions].sort((a, b) => (this.hashes[a] ?? 0) - (this.hashes[b] ?? 0));
  }

  private addTo(key: string, execution: number, hash: number): void {
    const own = this.kept.get(key);
    if (own === undefined) {
      this.kept.set(key, [execution]);
      this.total += 1;
      return;
    }
    const thin = this.thinned.get(key);
    if (thin) {
      thin.executions += 1;
      if (hash >= 2 ** -thin.level) return;
    }
    own.push(execution);
    this.total += 1;
    if (own.length > this.perKey) this.thin(key, own);
  }

  private thin(key: string, own: number[]): void {
    const thin = this.thinned.get(key) ?? { level: 0, executions: own.length };
    let left = own;
    // Two executions with one hash would never be separated.
    while (left.length > this.perKey && thin.level < 50) {
      thin.level += 1;
      left = left.filter((execution) => (this.hashes[execution] ?? 0) < 2 ** -thin.level);
    }
    this.total -= own.length - left.length;
    this.kept.set(key, left);
    this.thinned.set(key, thin);
  }

  /** Hostile reports name any number of actions. Then fewer executions are kept for each. */
  private halve(): void {
    this.perKey = Math.floor(this.perKey / 2);
    for (const [key, own] of this.kept) if (own.length > this.perKey) this.thin(key, own);
  }

  private shedKeys(): void {
    for (const key of this.kept.keys()) if (this.count(key) === 1) this.forget(key);
  }

  private forget(key: string): void {
    this.total -= this.kept.get(key)?.length ?? 0;
    this.kept.delete(key);
    this.thinned.delete(key);
  }

  private setHash(execution: number, executionId: string): number {
    if (execution >= this.hashes.length) {
      const before = this.hashes;
      this.hashes = new Float64Array(2 * execution + 2);
      this.hashes.set(before);
    }
    const hash = hashOf(executionId) / 2 ** 53;
    this.hashes[execution] = hash;
    return hash;
  }
}
