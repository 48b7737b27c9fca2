import {
  type Claim,
  type ComparisonOptions,
  type ReadClaim,
  readClaim,
  type Verdict,
  verdictOf,
} from './supersession.js';

export interface Finding {
  id: string;
  verdict: Verdict;
}

/**
 * Entries and proposals by the words of their conditions, so that a candidate meets only those that share some: ten
 * thousand entries are read once per cycle, and no pair of entries is ever compared (spec E1.7).
 */
export class ClaimIndex {
  private readonly claims = new Map<string, ReadClaim>();
  private readonly byWord = new Map<string, string[]>();
  private readonly bySetting = new Map<string, string[]>();

  add(id: string, claim: Claim): void {
    const read = readClaim(claim);
    this.claims.set(id, read);
    for (const word of read.condition.words) push(this.byWord, word, id);
    if (claim.setting !== undefined) push(this.bySetting, claim.setting, id);
  }

  get size(): number {
    return this.claims.size;
  }

  /**
   * Verdicts other than PARTIAL on a candidate, conflicts first. With `semantic` set, a paraphrase is found only among
   * claims that share a word or the setting; the caller adds those that a vector search brings through `alsoCompare`.
   */
  check(claim: Claim, options: ComparisonOptions & { alsoCompare?: Iterable<string> } = {}): Finding[] {
    const candidate = readClaim(claim);
    const findings: Finding[] = [];
    for (const id of this.near(candidate, options.alsoCompare ?? [])) {
      const existing = this.claims.get(id);
      if (!existing) continue;
      const verdict = verdictOf(candidate, existing, options);
      if (verdict !== 'PARTIAL') findings.push({ id, verdict });
    }
    return findings.sort((a, b) => a.verdict.localeCompare(b.verdict) || a.id.localeCompare(b.id));
  }

  /**
   * Jaccard and containment need half of the words of the smaller condition in common; what the candidate generalises
   * has all the words of one of its situations.
   */
  private near(candidate: ReadClaim, more: Iterable<string>): Set<string> {
    const shared = new Map<string, number>();
    for (const word of candidate.condition.words) {
      for (const id of this.byWord.get(word) ?? []) shared.set(id, (shared.get(id) ?? 0) + 1);
    }
    const near = new Set<string>(more);
    for (const id of this.bySetting.get(candidate.claim.setting ?? '') ?? []) near.add(id);
    const smallest = Math.min(candidate.condition.words.size, ...candidate.situations.map(({ size }) => size * 2));
    for (const [id, count] of shared) {
      const size = this.claims.get(id)?.condition.words.size ?? 0;
      if (count >= Math.min(size, smallest) / 2) near.add(id);
    }
    return near;
  }
}

function push(map: Map<string, string[]>, key: string, id: string): void {
  const known = map.get(key);
  if (known) known.push(id);
  else map.set(key, [id]);
}
