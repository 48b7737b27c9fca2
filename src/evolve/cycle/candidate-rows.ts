import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import { pairOf } from '../../evidence/predicate/check-pair.js';
import { predicateInWords } from '../../evidence/predicate/predicate-words.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import type { CandidateOutcome, FamilyOutcome, FamilySummary } from './candidate-outcome.js';
import {
  type CandidateRow,
  type FamilyRow,
  NO_CANDIDATES,
  type StoredFamily,
  type VerdictCounts,
} from './candidates.schema.js';

/** Rows and families that a cycle stores; the others are counted only. */
const MOST_ROWS = 200;
const MOST_FAMILIES = 200;
const LONGEST = { signature: 200, name: 120, finding: 300 } as const;
const MOST_NAMES = 8;

/**
 * Returns a row for each candidate: first those that became no draft, by verdict with the strongest first, then by the
 * executions with which they were examined.
 */
export function candidateRows(outcomes: readonly CandidateOutcome[]): CandidateRow[] {
  return outcomes.map(rowOf).sort(byInterest).slice(0, MOST_ROWS);
}

export function verdictCounts(outcomes: readonly CandidateOutcome[]): VerdictCounts {
  const counts = { ...NO_CANDIDATES };
  for (const { candidate } of outcomes) counts[candidate.check.verdict] += 1;
  return counts;
}

/** The families with their dossiers, those of the most executions first. */
export function storedFamilies(families: readonly FamilyOutcome[]): StoredFamily[] {
  return families
    .map(({ family, dossier }) => ({ family: familyRow(family), dossier }))
    .sort(
      (a, b) => b.family.executions - a.family.executions || compareText(a.family.fingerprint, b.family.fingerprint),
    )
    .slice(0, MOST_FAMILIES);
}

function rowOf({ family, candidate, examined, because, findings }: CandidateOutcome): CandidateRow {
  const { key, how, label, predicate, check, binding } = candidate;
  return {
    id: `sha256:${sha256(canonicalJson([family.fingerprint, key]))}`,
    family: familyRow(family),
    how,
    action: nameOf(label),
    predicate,
    words: predicateInWords(predicate),
    verdict: check.verdict,
    ...pairOf(check),
    because,
    findings: findings.slice(0, MOST_NAMES).map((finding) => clip(finding, LONGEST.finding)),
    examined,
    check,
    binding,
  };
}

function familyRow({ fingerprint, signature, value, tools, actions, counts }: FamilySummary): FamilyRow {
  return {
    fingerprint,
    signature: clip(generalise(signature), LONGEST.signature),
    value: value === undefined ? null : nameOf(value),
    tools: tools.slice(0, MOST_NAMES).map(nameOf),
    actions: actions.slice(0, MOST_NAMES).map(nameOf),
    agents: counts.distinctAgents,
    executions: counts.executions,
    failures: counts.failures,
  };
}

const nameOf = (name: string): string => clip(generalise(name), LONGEST.name);

function byInterest(a: CandidateRow, b: CandidateRow): number {
  return (
    Number(a.because === null) - Number(b.because === null) ||
    VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
    b.examined - a.examined ||
    compareText(a.family.signature, b.family.signature) ||
    compareText(a.id, b.id)
  );
}
