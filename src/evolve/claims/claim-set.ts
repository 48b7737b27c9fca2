import { compareText } from '../../platform/base/compare-text.js';
import {
  type Claim,
  type ClaimComparison,
  type ComparisonOptions,
  compareParsedClaims,
  isSubsumedBy,
  type ParsedClaim,
  parseClaim,
} from './supersession.js';

export interface ClaimMatch {
  id: string;
  verdict: ClaimComparison;
}

/** Claims by id, each parsed once for a cycle. A candidate is compared with all that may be related to it. */
export class ClaimSet {
  private readonly claims = new Map<string, ParsedClaim>();

  /** Adds a claim, or replaces the claim with this id. */
  add(id: string, claim: Claim): void {
    this.claims.delete(id);
    this.claims.set(id, parseClaim(claim));
  }

  /** Removes a claim from all later comparisons. */
  remove(id: string): void {
    this.claims.delete(id);
  }

  /** Returns all comparisons of a candidate other than PARTIAL, conflicts first. */
  compare(claim: Claim, options: ComparisonOptions = {}): ClaimMatch[] {
    const candidate = parseClaim(claim);
    return [...this.claims]
      .filter(([, known]) => mayBeRelated(candidate, known))
      .map(([id, known]) => ({ id, verdict: compareParsedClaims(candidate, known, options) }))
      .filter(({ verdict }) => verdict !== 'PARTIAL')
      .sort((a, b) => compareText(a.verdict, b.verdict) || compareText(a.id, b.id));
  }

  /** Returns the claims that say the same as this one, or more generally. */
  subsumingIds(claim: Claim): string[] {
    const candidate = parseClaim(claim);
    return [...this.claims]
      .filter(([, known]) => mayBeRelated(candidate, known) && isSubsumedBy(candidate, known))
      .map(([id]) => id);
  }
}

/** Of two lessons of the evolver, those on the same program, or on a kind of error and a case of it. */
function mayBeRelated({ applicability: a }: ParsedClaim, { applicability: b }: ParsedClaim): boolean {
  if (a === undefined || b === undefined) return true;
  return a.family === b.family || a.family === b.kind || a.kind === b.family;
}
