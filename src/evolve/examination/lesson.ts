import { type Check, pairOf, VERDICTS } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { groupsOf } from '../../platform/base/sum.js';
import type { Family } from '../evidence/candidate.js';
import { type EvidenceCounts, impactOf, meanLost, PatternEvidence } from '../support/pattern-evidence.js';
import { FEWEST_PARTIES } from '../support/support-level.js';
import { dropReasonOf } from './drop-reason.js';
import type { ExaminedCandidate, FamilyFindings } from './family-examination.js';
import { mergedOutcomes } from './family-outcomes.js';

/** A candidate of a family. */
export interface LessonMember {
  readonly candidate: ExaminedCandidate;
  readonly findings: FamilyFindings;
}

/** One action against one or several families of failures: what becomes a draft. */
export interface Lesson {
  /** The candidate whose check says most, and its family. */
  readonly main: ExaminedCandidate;
  readonly findings: FamilyFindings;
  /** All families, that of `main` first. */
  readonly families: readonly Family[];
  /** The candidates of the same action, that of `main` first. */
  readonly members: readonly LessonMember[];
  /** The predicate of `main` for the failures of all families. */
  readonly predicate: Predicate;
  readonly check: Check;
  readonly evidence: PatternEvidence;
  readonly counts: EvidenceCounts;
  /** The mean of each execution. */
  readonly callsLost: number;
  readonly impact: number;
}

/** Returns whether a candidate may reach the queue. `minOwners`: the owners for whom it must have worked. */
const mayBeProposed = ({ check, workedFor, isManaged }: ExaminedCandidate, minOwners: number): boolean =>
  isManaged === undefined &&
  dropReasonOf(check, []) === null &&
  workedFor.owners >= minOwners &&
  workedFor.parties >= FEWEST_PARTIES;

/**
 * Returns what may reach the queue: confirmed candidates and observed ones, those with one action as one lesson, the
 * strongest first. `minOwners`: the owners for whom a remedy must have worked.
 */
export function lessonsOf(all: readonly FamilyFindings[], minOwners: number): Lesson[] {
  const members = all.flatMap((findings) =>
    findings.candidates
      .filter((one) => mayBeProposed(one, minOwners))
      .map((candidate): LessonMember => ({ candidate, findings })),
  );
  return [...groupsOf(members, ({ candidate }) => candidate.key).values()]
    .flatMap(([first, ...others]) => (first ? [lessonOf([first, ...others])] : []))
    .sort(byStrength);
}

/** One lesson of candidates with one action, of which there is at least one. */
export function lessonOf(same: readonly [LessonMember, ...LessonMember[]]): Lesson {
  const sorted = [...same].sort(
    (a, b) =>
      rankOf(a.candidate.check) - rankOf(b.candidate.check) ||
      comparedIn(b.candidate) - comparedIn(a.candidate) ||
      b.findings.family.evidence.executionIds.size - a.findings.family.evidence.executionIds.size ||
      compareText(a.findings.family.fingerprint, b.findings.family.fingerprint),
  );
  const [first = same[0]] = sorted;
  const families = sorted.map(({ findings }) => findings.family);
  return {
    ...evidenceOf(sorted, first),
    main: first.candidate,
    findings: first.findings,
    families,
    members: sorted,
    predicate: withAll(
      first.candidate.predicate,
      sorted.map(({ candidate }) => candidate.predicate),
    ),
    check: first.candidate.check,
  };
}

/** The tries on the smaller side: how well it was compared. */
const comparedIn = ({ check }: ExaminedCandidate): number => {
  const { with: followed, without } = pairOf(check);
  return Math.min(followed.n, without.n);
};

/** The evidence of the families, of each only the failures of the action that the candidate is about. */
function evidenceOf(
  members: readonly LessonMember[],
  { findings }: LessonMember,
): Pick<Lesson, 'evidence' | 'counts' | 'callsLost' | 'impact'> {
  const [first = findings.family.evidence, ...others] = members.map(evidenceOfMember);
  const evidence = others.length > 0 ? PatternEvidence.merge([first, ...others]) : first;
  const counts = evidence.counts();
  const { lost } = mergedOutcomes(members.map((one) => one.findings.outcomes));
  return { evidence, counts, callsLost: meanLost(lost), impact: impactOf(counts, lost) };
}

function evidenceOfMember({ candidate, findings: { family } }: LessonMember): PatternEvidence {
  const { failingAction: action } = candidate;
  return (action === undefined ? undefined : family.evidenceByAction?.get(action)) ?? family.evidence;
}

/** The predicate for the failures of all of them. */
const withAll = (main: Predicate, all: readonly Predicate[]): Predicate =>
  main.learned ? { learned: unitedClaim(main.learned, all) } : main;

/** The claim for the failures of all; what all of them share identifies a try that follows. */
export function unitedClaim(main: LearnedClaim, all: readonly Predicate[]): LearnedClaim {
  const claims = all.flatMap(({ learned }) => learned ?? []);
  const conditions = new Map(
    [main, ...claims].flatMap((one) => one.conditions).map((one) => [canonicalJson(one), one]),
  );
  return {
    ...main,
    follow: main.follow.filter((one) => claims.every(({ follow }) => follow.includes(one))),
    conditions: [...conditions.values()].slice(0, MOST_CONDITIONS),
  };
}

const MOST_CONDITIONS = 12;

export const rankOf = ({ verdict }: Check): number => VERDICTS.indexOf(verdict);

/** Confirmed before observed, then the greatest impact. */
function byStrength(a: Lesson, b: Lesson): number {
  return rankOf(a.check) - rankOf(b.check) || b.impact - a.impact || compareText(a.main.key, b.main.key);
}
