import { compareText } from '../../platform/base/compare-text.js';
import { collectCases, type Reading } from '../cases/case-collection.js';
import { casesOf } from '../cases/episode-cases.js';
import { successCasesOf } from '../cases/success-cases.js';
import { type Draft, type DraftIdentity, draftOf, identityOf } from '../drafts/draft.js';
import { draftOfSuccess, identityOfSuccess, impactOfSuccess } from '../drafts/success-draft.js';
import type { Ledger } from '../evidence/ledger.js';
import type { ConfidenceEstimator } from '../patterns/confidence.js';
import type { Candidate } from '../patterns/selection.js';
import type { SuccessPattern } from '../patterns/success.js';

/** Words a draft; `names` are those taken in this cycle. Undefined if it cannot be worded. */
export type WordDraft = (names: Set<string>) => Draft | undefined;

/** A pattern that may become a draft, and the reading of the executions that it shows. */
export interface PlannedDraft {
  readonly identity: DraftIdentity;
  readonly reading: () => Reading<WordDraft>;
}

/** Orders failure patterns and success patterns together, the greatest impact first. */
export function plannedDrafts(
  ledger: Ledger,
  candidates: readonly Candidate[],
  successes: readonly SuccessPattern[],
  estimator: ConfidenceEstimator,
): PlannedDraft[] {
  const all = [
    ...candidates.map((candidate) => ({
      impact: candidate.impact,
      print: candidate.fingerprints[0] ?? '',
      ...planOf(ledger, candidate, estimator),
    })),
    ...successes.map((pattern) => ({
      impact: impactOfSuccess(pattern),
      print: pattern.fingerprint,
      ...planOfSuccess(ledger, pattern, estimator),
    })),
  ];
  return all.sort((a, b) => b.impact - a.impact || compareText(a.print, b.print));
}

function planOf(ledger: Ledger, candidate: Candidate, estimator: ConfidenceEstimator): PlannedDraft {
  const identity = identityOf(candidate, estimator.name);
  const query = { fingerprints: new Set(candidate.fingerprints), chosen: candidate.chosen };
  return {
    identity,
    *reading() {
      const cases = yield* collectCases(ledger, {
        executions: candidate.executions.numbers(),
        casesOf: (execution) => casesOf(execution, query),
        shows: ({ worked }) => worked !== undefined,
      });
      return (names) => draftOf(candidate, identity, cases, names);
    },
  };
}

function planOfSuccess(ledger: Ledger, pattern: SuccessPattern, estimator: ConfidenceEstimator): PlannedDraft {
  const identity = identityOfSuccess(pattern, estimator);
  return {
    identity,
    *reading() {
      const cases = yield* collectCases(ledger, {
        executions: pattern.executions.numbers(),
        casesOf: (execution) => successCasesOf(execution, pattern),
        shows: () => true,
      });
      return (names) => draftOfSuccess(pattern, identity, cases, names);
    },
  };
}

/** Leaves out success patterns that a failure pattern already teaches, such as `npm install` before `node`. */
export function newSuccesses(found: readonly SuccessPattern[], candidates: readonly Candidate[]): SuccessPattern[] {
  const isCovered = (pattern: SuccessPattern): boolean =>
    candidates.some(
      ({ pattern: { tool, coarse }, chosen }) =>
        tool === pattern.tool &&
        coarse === pattern.action &&
        chosen.how === 'prepare' &&
        pattern.before.split(' > ').includes(chosen.action),
    );
  return found.filter((pattern) => !isCovered(pattern));
}
