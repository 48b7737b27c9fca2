import {
  type Claim,
  type ClaimComparison,
  type ComparisonOptions,
  compareParsedClaims,
  parseClaim,
} from '../../src/evolve/claims/supersession.js';

/** Compares a candidate with one existing claim. */
export const compareClaims = (candidate: Claim, existing: Claim, options: ComparisonOptions = {}): ClaimComparison =>
  compareParsedClaims(parseClaim(candidate), parseClaim(existing), options);
