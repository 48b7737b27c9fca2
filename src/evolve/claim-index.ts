import {
  type Claim,
  type ComparisonOptions,
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

/** Who has a word in the condition, by the number of words that the condition has. */
interface Bucket {
  count: number;
  readonly bySize: Map<number, Entry[]>;
}
type Postings = Map<string, Bucket>;

export interface Finding {
  id: string;
  verdict: Verdict;
}

/**
 * Entries and proposals by the words of their conditions, so that a candidate meets only those that share some: ten
 * thousand entries are read once per cycle, and no pair of entries is ever compared (spec E1.7).
 */
export class ClaimIndex {
  private readonly entries = new Map<string, Entry>();
  /** Claims without a setting, and claims with one: two settings that differ never meet. */
  private readonly unset: Postings = new Map();
  private readonly set: Postings = new Map();
  private readonly bySetting = new Map<string, Entry[]>();

  add(id: string, claim: Claim): void {
    const entry = { id, read: readClaim(claim) };
    this.entries.set(id, entry);
    const { words } = entry.read.condition;
    const postings = claim.setting === undefined ? this.unset : this.set;
    for (const word of words) {
      const bucket = postings.get(word) ?? { count: 0, bySize: new Map<number, Entry[]>() };
      postings.set(word, bucket);
      bucket.count += 1;
      push(bucket.bySize, words.size, entry);
    }
    if (claim.setting !== undefined) push(this.bySetting, claim.setting, entry);
  }

  get size(): number {
    return this.entries.size;
  }

  /**
   * Verdicts other than PARTIAL on a candidate, conflicts first. With `semantic` set, a paraphrase is found only among
   * claims that share a word or the setting; the caller adds those that a vector search brings through `alsoCompare`.
   */
  check(claim: Claim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): Finding[] {
    return this.checkRead(readClaim(claim), options);
  }

  /** {@link check} for a claim that was read before. */
  checkRead(candidate: ReadClaim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): Finding[] {
    const findings: Finding[] = [];
    for (const { id, read } of this.near(candidate, options.alsoCompare ?? [])) {
      const verdict = verdictOf(candidate, read, options);
      if (verdict !== 'PARTIAL') findings.push({ id, verdict });
    }
    return findings.sort((a, b) => a.verdict.localeCompare(b.verdict) || a.id.localeCompare(b.id));
  }

  /**
   * Who needs `n` words in common has one of them outside of the `n - 1` most frequent ones, so that the long lists of
   * frequent words are read for the shortest conditions only.
   */
  private near(candidate: ReadClaim, more: Iterable<string>): Set<Entry> {
    const { claim, condition } = candidate;
    const near = new Set(this.bySetting.get(claim.setting ?? ''));
    for (const id of more) {
      const entry = this.entries.get(id);
      if (entry) near.add(entry);
    }
    for (const postings of claim.setting === undefined ? [this.unset, this.set] : [this.unset])
      for (const [rank, { bySize }] of frequentFirst(postings, condition.words).entries())
        for (const [size, entries] of bySize) {
          const needed = wordsNeeded(candidate, size);
          if (rank < needed - 1) continue;
          for (const entry of entries) if (shares(entry.read.condition.words, condition.words, needed)) near.add(entry);
        }
    return near;
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

/** The lists of the words that anybody has, the longest first. */
function frequentFirst(postings: Postings, words: ReadonlySet<string>): Bucket[] {
  return [...words].flatMap((word) => postings.get(word) ?? []).sort((a, b) => b.count - a.count);
}

function shares(some: ReadonlySet<string>, words: ReadonlySet<string>, needed: number): boolean {
  let missing = needed;
  for (const word of some) {
    if (words.has(word)) missing -= 1;
    if (missing <= 0) return true;
  }
  return false;
}

function push<K>(map: Map<K, Entry[]>, key: K, entry: Entry): void {
  const known = map.get(key);
  if (known) known.push(entry);
  else map.set(key, [entry]);
}
