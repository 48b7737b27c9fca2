import { compareText } from '../../platform/base/compare-text.js';
import {
  type Claim,
  type ComparisonOptions,
  isToldBy,
  type ReadClaim,
  readClaim,
  SUPERSESSION_THRESHOLDS,
  type Verdict,
  verdictOf,
} from './supersession.js';

interface Entry {
  readonly id: string;
  readonly read: ReadClaim;
}

/** Who has a word in the condition, or a setting: positions in the list of entries. */
type Postings<K> = Map<K, number[]>;

export interface Finding {
  id: string;
  verdict: Verdict;
}

/**
 * Entries and proposals by the words of their conditions, so that a candidate meets only those that share some: ten
 * thousand entries are read once per cycle, and no pair of entries is ever compared (spec E1.7).
 */
export class ClaimIndex {
  /** Undefined where another claim took the id. */
  private readonly entries: (Entry | undefined)[] = [];
  private readonly at = new Map<string, number>();
  /** By the number of words; claims without a setting, and claims with one: two of different families never meet. */
  private readonly unset = new Map<number, Postings<number>>();
  private readonly set = new Map<number, Postings<number>>();
  private readonly byFamily: Postings<string> = new Map();
  /** The cases of each kind of error. */
  private readonly byKind: Postings<string> = new Map();
  private readonly numberOf = new Map<string, number>();
  /** The words of all conditions in one row, and where each entry's begin: they are looked at more often than entries. */
  private readonly words: number[] = [];
  private readonly begin: number[] = [0];
  /** Words shared with the candidate that is looked up, by entry; all zero in between. */
  private shared = new Uint16Array(1_024);

  /** Adds a claim, or puts another one in the place of the one of that id. */
  add(id: string, claim: Claim): void {
    const at = this.entries.length;
    const read = readClaim(claim);
    const words = [...read.condition.words].map((word) => this.number(word));
    const before = this.at.get(id);
    if (before !== undefined) this.entries[before] = undefined;
    this.at.set(id, at);
    this.entries.push({ id, read });
    this.words.push(...words);
    this.begin.push(this.words.length);
    if (at >= this.shared.length) this.shared = new Uint16Array(2 * at);
    const bySize = claim.setting === undefined ? this.unset : this.set;
    const postings = bySize.get(words.length) ?? new Map();
    bySize.set(words.length, postings);
    for (const word of words) push(postings, word, at);
    if (read.setting === undefined) return;
    push(this.byFamily, read.setting.family, at);
    if (read.setting.kind !== undefined) push(this.byKind, read.setting.kind, at);
  }

  /** Nothing is compared with it any more. */
  remove(id: string): void {
    const at = this.at.get(id);
    if (at === undefined) return;
    this.entries[at] = undefined;
    this.at.delete(id);
  }

  get size(): number {
    return this.at.size;
  }

  /**
   * Verdicts other than PARTIAL on a candidate, conflicts first. With `semantic` set, a paraphrase is found only among
   * claims that share a word or the setting; the caller adds those that a vector search brings through `alsoCompare`.
   */
  check(claim: Claim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): Finding[] {
    return this.checkRead(readClaim(claim), options);
  }

  /** The claims that say the same, or of which it is a special case that asks for nothing else. */
  telling(claim: Claim): string[] {
    const candidate = readClaim(claim);
    const told = this.related(candidate).flatMap((at) => this.entries[at] ?? []);
    return told.filter(({ read }) => isToldBy(candidate, read)).map(({ id }) => id);
  }

  /** {@link check} for a claim that was read before. */
  checkRead(candidate: ReadClaim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): Finding[] {
    const { setting } = candidate;
    const met = new Map<number, number | undefined>();
    for (const at of this.related(candidate)) met.set(at, undefined);
    for (const id of options.alsoCompare ?? []) {
      const at = this.at.get(id);
      if (at !== undefined) met.set(at, undefined);
    }
    const words = [...candidate.condition.words].flatMap((word) => this.numberOf.get(word) ?? []);
    for (const bySize of setting === undefined ? [this.unset, this.set] : [this.unset])
      for (const [size, postings] of bySize) this.meetNear(words, wordsNeeded(candidate, size), postings, met);
    const findings: Finding[] = [];
    for (const [at, shared] of met) {
      const entry = this.entries[at];
      if (!entry) continue;
      const verdict = verdictOf(candidate, entry.read, options, shared);
      if (verdict !== 'PARTIAL') findings.push({ id: entry.id, verdict });
    }
    return findings.sort((a, b) => compareText(a.verdict, b.verdict) || compareText(a.id, b.id));
  }

  /** Those whose settings can have to do with its own: of its program, on the kind of its error, and the cases of its kind. */
  private related({ setting }: ReadClaim): number[] {
    if (setting === undefined) return [];
    const onKind = setting.kind === undefined ? undefined : this.byFamily.get(setting.kind);
    return [
      ...(this.byFamily.get(setting.family) ?? []),
      ...(onKind ?? []),
      ...(this.byKind.get(setting.family) ?? []),
    ];
  }

  /**
   * Adds every entry of one size that shares as many words as a verdict needs. Who has `n` words in common has one
   * of them outside of the `n - 1` most frequent ones: those long lists are not read, but their words asked for where an
   * entry was found by another one.
   */
  private meetNear(
    words: readonly number[],
    needed: number,
    postings: Postings<number>,
    met: Map<number, number | undefined>,
  ): void {
    const known = words.filter((word) => postings.has(word));
    if (known.length < needed) return;
    known.sort((a, b) => (postings.get(b)?.length ?? 0) - (postings.get(a)?.length ?? 0));
    const frequent = known.slice(0, Math.max(0, needed - 1));
    const found: number[] = [];
    for (const word of known.slice(frequent.length))
      for (const at of postings.get(word) ?? []) {
        const so = this.shared[at] ?? 0;
        if (so === 0) found.push(at);
        this.shared[at] = so + 1;
      }
    for (const at of found) {
      let shared = this.shared[at] ?? 0;
      this.shared[at] = 0;
      for (const word of frequent) if (this.has(at, word)) shared += 1;
      if (shared >= needed) met.set(at, shared);
    }
  }

  private has(at: number, word: number): boolean {
    const end = this.begin[at + 1] ?? 0;
    for (let i = this.begin[at] ?? 0; i < end; i += 1) if (this.words[i] === word) return true;
    return false;
  }

  private number(word: string): number {
    const known = this.numberOf.get(word) ?? this.numberOf.size;
    this.numberOf.set(word, known);
    return known;
  }
}

/**
 * The fewest words that a condition of `size` words has in common with the candidate's where the verdict is not
 * PARTIAL: Jaccard, containment, or all the words of a situation that the candidate generalises.
 */
function wordsNeeded({ condition, situations }: ReadClaim, size: number): number {
  const own = condition.words.size;
  const { overlap, coverage } = SUPERSESSION_THRESHOLDS;
  const jaccard = (overlap / (1 + overlap)) * (own + size);
  const containment = coverage * Math.min(own, size);
  // A little below: the thresholds are compared as fractions.
  return Math.ceil(Math.min(jaccard, containment, ...situations.map((situation) => situation.size)) - 1e-9);
}

function push<K>(postings: Postings<K>, key: K, at: number): void {
  const known = postings.get(key);
  if (known) known.push(at);
  else postings.set(key, [at]);
}
