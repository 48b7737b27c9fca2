import { compareText } from '../../platform/base/compare-text.js';
import {
  type Claim,
  type ClaimComparison,
  type ComparisonOptions,
  compareParsedClaims,
  isSubsumedBy,
  type ParsedClaim,
  parseClaim,
  SUPERSESSION_THRESHOLDS,
} from './supersession.js';

interface IndexedClaim {
  readonly id: string;
  readonly parsed: ParsedClaim;
}

/** Positions in the list of entries, by a word of their condition or by a part of their applicability. */
type Postings<K> = Map<K, number[]>;

export interface ClaimMatch {
  id: string;
  verdict: ClaimComparison;
}

/**
 * Indexes claims by the words of their conditions, so that a candidate is compared only with claims that share some.
 * Ten thousand entries are parsed once for each cycle, and are never compared pair by pair.
 */
export class ClaimIndex {
  /** Undefined if another claim took over the id. */
  private readonly entries: (IndexedClaim | undefined)[] = [];
  private readonly positions = new Map<string, number>();
  /**
   * By the number of words, and apart for claims with and without applicability: two claims of different families are
   * never related.
   */
  private readonly withoutApplicability = new Map<number, Postings<number>>();
  private readonly withApplicability = new Map<number, Postings<number>>();
  private readonly byFamily: Postings<string> = new Map();
  /** The cases of each kind of error. */
  private readonly byKind: Postings<string> = new Map();
  private readonly wordNumbers = new Map<string, number>();
  /**
   * The words of all conditions in one array, and where the words of each entry start. They are read more often than
   * the entries.
   */
  private readonly words: number[] = [];
  private readonly wordOffsets: number[] = [0];
  /** The number of words that each entry shares with the current candidate; all zero between look-ups. */
  private shared = new Uint16Array(1_024);

  /** Adds a claim, or replaces the claim with this id. */
  add(id: string, claim: Claim): void {
    const at = this.entries.length;
    const read = parseClaim(claim);
    const words = [...read.condition.words].map((word) => this.wordNumber(word));
    const before = this.positions.get(id);
    if (before !== undefined) this.entries[before] = undefined;
    this.positions.set(id, at);
    this.entries.push({ id, parsed: read });
    this.words.push(...words);
    this.wordOffsets.push(this.words.length);
    if (at >= this.shared.length) this.shared = new Uint16Array(2 * at);
    const bySize = claim.applicability === undefined ? this.withoutApplicability : this.withApplicability;
    const postings = bySize.get(words.length) ?? new Map();
    bySize.set(words.length, postings);
    for (const word of words) push(postings, word, at);
    if (read.applicability === undefined) return;
    push(this.byFamily, read.applicability.family, at);
    if (read.applicability.kind !== undefined) push(this.byKind, read.applicability.kind, at);
  }

  /** Removes a claim from all later comparisons. */
  remove(id: string): void {
    const at = this.positions.get(id);
    if (at === undefined) return;
    this.entries[at] = undefined;
    this.positions.delete(id);
  }

  get size(): number {
    return this.positions.size;
  }

  /**
   * Returns all comparisons of a candidate other than PARTIAL, conflicts first. With `semantic` set, a paraphrase is
   * found only among claims that share a word or the applicability; the caller adds those of a vector search by
   * `alsoCompare`.
   */
  compare(claim: Claim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): ClaimMatch[] {
    return this.compareParsed(parseClaim(claim), options);
  }

  /** Returns the claims that say the same as this one, or more generally. */
  subsumingIds(claim: Claim): string[] {
    const candidate = parseClaim(claim);
    const subsuming = this.related(candidate).flatMap((at) => this.entries[at] ?? []);
    return subsuming.filter(({ parsed: read }) => isSubsumedBy(candidate, read)).map(({ id }) => id);
  }

  /** {@link compare} for a parsed claim. */
  compareParsed(
    candidate: ParsedClaim,
    options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {},
  ): ClaimMatch[] {
    const { applicability } = candidate;
    const candidates = new Map<number, number | undefined>();
    for (const at of this.related(candidate)) candidates.set(at, undefined);
    for (const id of options.alsoCompare ?? []) {
      const at = this.positions.get(id);
      if (at !== undefined) candidates.set(at, undefined);
    }
    const words = [...candidate.condition.words].flatMap((word) => this.wordNumbers.get(word) ?? []);
    for (const bySize of applicability === undefined
      ? [this.withoutApplicability, this.withApplicability]
      : [this.withoutApplicability])
      for (const [size, postings] of bySize) this.addNear(words, wordsNeeded(candidate, size), postings, candidates);
    const matches: ClaimMatch[] = [];
    for (const [at, shared] of candidates) {
      const entry = this.entries[at];
      if (!entry) continue;
      const verdict = compareParsedClaims(candidate, entry.parsed, options, shared);
      if (verdict !== 'PARTIAL') matches.push({ id: entry.id, verdict });
    }
    return matches.sort((a, b) => compareText(a.verdict, b.verdict) || compareText(a.id, b.id));
  }

  /**
   * Returns entries whose applicability may be related: of the same program, on the kind of the candidate's error, and
   * cases of the candidate's kind.
   */
  private related({ applicability }: ParsedClaim): number[] {
    if (applicability === undefined) return [];
    const onKind = applicability.kind === undefined ? undefined : this.byFamily.get(applicability.kind);
    return [
      ...(this.byFamily.get(applicability.family) ?? []),
      ...(onKind ?? []),
      ...(this.byKind.get(applicability.family) ?? []),
    ];
  }

  /**
   * Adds every entry of one size that shares enough words for a result. An entry with `n` common words has one of them
   * outside of the `n - 1` most frequent ones. So the long lists of these are not read; their words are looked up only
   * in entries that were found by another word.
   */
  private addNear(
    words: readonly number[],
    needed: number,
    postings: Postings<number>,
    candidates: Map<number, number | undefined>,
  ): void {
    const known = words.filter((word) => postings.has(word));
    if (known.length < needed) return;
    known.sort((a, b) => (postings.get(b)?.length ?? 0) - (postings.get(a)?.length ?? 0));
    const frequent = known.slice(0, Math.max(0, needed - 1));
    const found: number[] = [];
    for (const word of known.slice(frequent.length))
      for (const at of postings.get(word) ?? []) {
        const count = this.shared[at] ?? 0;
        if (count === 0) found.push(at);
        this.shared[at] = count + 1;
      }
    for (const at of found) {
      let shared = this.shared[at] ?? 0;
      this.shared[at] = 0;
      for (const word of frequent) if (this.has(at, word)) shared += 1;
      if (shared >= needed) candidates.set(at, shared);
    }
  }

  private has(at: number, word: number): boolean {
    const end = this.wordOffsets[at + 1] ?? 0;
    for (let i = this.wordOffsets[at] ?? 0; i < end; i += 1) if (this.words[i] === word) return true;
    return false;
  }

  private wordNumber(word: string): number {
    const known = this.wordNumbers.get(word) ?? this.wordNumbers.size;
    this.wordNumbers.set(word, known);
    return known;
  }
}

/**
 * Returns the smallest number of words that a condition of `size` words must share with the candidate's for a result
 * other than PARTIAL: by Jaccard, by containment, or by a situation that the candidate generalises.
 */
function wordsNeeded({ condition, situations }: ParsedClaim, size: number): number {
  const own = condition.words.size;
  const { overlap, coverage } = SUPERSESSION_THRESHOLDS;
  const jaccard = (overlap / (1 + overlap)) * (own + size);
  const containment = coverage * Math.min(own, size);
  // Slightly lower, since the thresholds are compared as fractions.
  return Math.ceil(Math.min(jaccard, containment, ...situations.map((situation) => situation.size)) - 1e-9);
}

function push<K>(postings: Postings<K>, key: K, at: number): void {
  const known = postings.get(key);
  if (known) known.push(at);
  else postings.set(key, [at]);
}
