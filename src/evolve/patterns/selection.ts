import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import { GRANULARITIES } from '../../capture/observations/observation.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Counts } from '../evidence/counts.js';
import { type EvidenceCounts, PatternEvidence } from '../evidence/pattern-evidence.js';
import { probabilityOfBetter } from '../statistics/probability.js';
import { agreementOf, isConfirmed, narrowPatternsOf, remedyOutcomeIn } from './agreement.js';
import type { ConfidenceEstimate, ConfidenceEstimator } from './confidence.js';
import {
  type Alternative,
  BREADTH_SETTINGS,
  type Contrast,
  contrastOf,
  isClearlyBetter,
  isOnlySkipped,
  isTransient,
} from './contrast.js';
import { impactOf, meetsThresholds } from './impact.js';
import type { Pattern } from './pattern.js';
import { type EstimateFunction, estimateFunction } from './pattern-estimate.js';
import { RepeatRates } from './repeat-rates.js';

/** A pattern with a remedy, ready to be worded: one granularity, and one lesson for each failing action and remedy. */
export interface Candidate {
  pattern: Pattern;
  /** All fingerprints that this lesson covers, its own first. */
  fingerprints: string[];
  actionFingerprint: string;
  errorClasses: string[];
  /** The most frequent template of the first class. */
  template: string;
  counts: EvidenceCounts;
  /** The numbers of its executions in the ledger. */
  executions: Counts;
  using: number;
  contrast: Contrast;
  chosen: Alternative;
  estimate: ConfidenceEstimate;
  /** Failures in the window times distinct agents, which orders the queue. */
  impact: number;
}

export interface SelectionSettings {
  minAgentsForPattern: number;
  minOwnersForPattern: number;
  minConfidence: number;
  estimator: ConfidenceEstimator;
}

export interface Selection {
  /** Patterns by action and error class. Finer granularities describe the same patterns. */
  patterns: number;
  kept: number;
  belowThreshold: number;
  /** Ranked by impact, with any confidence. */
  candidates: Candidate[];
  /** Overcome by repeating the same action: neither a lesson nor a problem. */
  passing: number;
  /** Seen by enough agents; nothing that was tried overcame them. */
  unsolved: Pattern[];
  /** Seen by enough agents, and only overcome by skipping a check. */
  onlySkipped: Pattern[];
}

/** Chooses what may become a lesson: patterns with enough distinct agents, at one granularity, with a remedy. */
export function selectCandidates(found: readonly Pattern[], settings: SelectionSettings): Selection {
  // Sorted, so that the result does not depend on the order of the executions.
  const patterns = [...found].sort((a, b) => compareText(a.fingerprint, b.fingerprint));
  const families = familiesOf(patterns);
  const estimate = estimateFunction(settings.estimator, new RepeatRates(patterns));
  const selection: Selection = {
    patterns: families.length,
    kept: 0,
    belowThreshold: 0,
    candidates: [],
    passing: 0,
    unsolved: [],
    onlySkipped: [],
  };
  const chosen: Pattern[] = [];
  for (const family of families) {
    const enough = family.filter((pattern) => meetsAgentThresholds(pattern, settings)).sort(byGranularity);
    const coarsest = enough[0];
    if (!coarsest) {
      selection.belowThreshold += 1;
      continue;
    }
    selection.kept += 1;
    const one = chooseGranularity(enough, settings, estimate);
    const remedy = one ?? coarsest;
    if (isOnlySkipped(remedy.contrast, remedy.evidence.trials.values())) selection.onlySkipped.push(remedy);
    if (one) chosen.push(one);
    else if (selection.onlySkipped.includes(remedy)) continue;
    else if (isTransient(coarsest.contrast)) selection.passing += 1;
    else selection.unsolved.push(coarsest);
  }
  const broad = broadLessons(patterns, settings, estimate);
  const subsumed = new Set(broad.flatMap(({ members }) => members.map(({ fingerprint }) => fingerprint)));
  const narrow = chosen.filter((pattern) => !broad.some((lesson) => subsumes(lesson, pattern)));
  selection.unsolved = selection.unsolved.filter(({ fingerprint }) => !subsumed.has(fingerprint));
  selection.candidates = [
    ...broad
      .flatMap((lesson) => broadCandidate(lesson, chosen, estimate))
      .filter(({ counts }) => meetsThresholds(counts, settings)),
    ...mergeByRemedy(narrow, estimate),
  ].sort((a, b) => b.impact - a.impact || compareText(a.fingerprints[0] ?? '', b.fingerprints[0] ?? ''));
  for (const list of [selection.unsolved, selection.onlySkipped])
    list.sort((a, b) => impactOf(b.counts) - impactOf(a.counts) || compareText(a.fingerprint, b.fingerprint));
  return selection;
}

function familiesOf(patterns: readonly Pattern[]): Pattern[][] {
  const families = new Map<string, Pattern[]>();
  const narrow = patterns.filter(({ granularity }) => granularity !== 'kind' && granularity !== 'program');
  const familyOf = ({ tool, coarse, errorClass }: Pattern): string => JSON.stringify([tool, coarse, errorClass]);
  const separate = new Set(narrow.filter(({ project }) => project !== undefined).map(familyOf));
  for (const pattern of narrow) {
    const family = familyOf(pattern);
    const key = separate.has(family) ? JSON.stringify([family, pattern.project ?? pattern.onlyIn]) : family;
    const known = families.get(key);
    if (known) known.push(pattern);
    else families.set(key, [pattern]);
  }
  return [...families.values()];
}

/** A broad pattern whose remedy is confirmed by its members, and the members that it covers. */
interface BroadLesson {
  pattern: Pattern;
  chosen: Alternative;
  members: Pattern[];
}

/** If two broad patterns share a member, the one with more failures covers it. */
function broadLessons(
  patterns: readonly Pattern[],
  settings: SelectionSettings,
  estimate: EstimateFunction,
): BroadLesson[] {
  const lessons: BroadLesson[] = [];
  const covered = new Set<string>();
  const isSure = (pattern: Pattern): boolean =>
    pattern.contrast.chosen !== undefined && estimate(pattern).value >= settings.minConfidence;
  const broad = patterns
    .filter(({ granularity }) => granularity === 'kind' || granularity === 'program')
    // The most expensive check comes last, for the few patterns that are left.
    .filter((pattern) => isSure(pattern) && meetsAgentThresholds(pattern, settings))
    .sort((a, b) => impactOf(b.counts) - impactOf(a.counts) || compareText(a.fingerprint, b.fingerprint));
  for (const pattern of broad) {
    const { chosen } = pattern.contrast;
    if (!chosen) continue;
    const members = narrowPatternsOf(pattern, patterns).filter(({ fingerprint }) => !covered.has(fingerprint));
    const agreement = agreementOf(pattern, chosen, members);
    if (!isConfirmed(pattern, agreement)) continue;
    const coveredMembers = [...agreement.supporting, ...agreement.silent];
    for (const { fingerprint } of coveredMembers) covered.add(fingerprint);
    lessons.push({ pattern, chosen, members: coveredMembers });
  }
  return lessons;
}

/** Returns whether the broad lesson covers a narrow pattern: its remedy is the same, or not surely better. */
function subsumes({ pattern: broad, chosen, members }: BroadLesson, narrow: Pattern): boolean {
  const own = narrow.contrast.chosen;
  if (!own || !members.some((member) => isSameFailure(member, narrow))) return false;
  return probabilityOfBetter(own.outcome, remedyOutcomeIn(narrow, chosen, broad)) < BREADTH_SETTINGS.different;
}

/** At any granularity. */
function isSameFailure(a: Pattern, b: Pattern): boolean {
  return a.tool === b.tool && a.coarse === b.coarse && a.errorClass === b.errorClass && a.project === b.project;
}

function broadCandidate(lesson: BroadLesson, narrow: readonly Pattern[], estimate: EstimateFunction): Candidate[] {
  const subsumed = narrow.filter((one) => subsumes(lesson, one));
  const separate = narrow.filter((one) => !subsumed.includes(one));
  // A failure with its own lesson is covered only by that one.
  const members = lesson.members.filter((member) => !separate.some((one) => isSameFailure(member, one)));
  const fingerprints = [lesson.pattern, ...members, ...subsumed].map(({ fingerprint }) => fingerprint);
  const [first, ...others] = byFailures(members);
  return candidateOf(lesson.pattern, [], estimate).map((candidate) => ({
    ...candidate,
    ...(members.length < lesson.members.length ? countsOfMembers(members, candidate, estimate) : {}),
    fingerprints: [...new Set(fingerprints)],
    errorClasses: [...new Set([first, ...others].flatMap((member) => member?.errorClass ?? []))],
    ...(first ? { template: first.template } : {}),
  }));
}

/** Returns the counts of the members that the lesson covers, without those that have their own lesson. */
function countsOfMembers(
  members: readonly Pattern[],
  { pattern, using, contrast }: Candidate,
  estimate: EstimateFunction,
): Pick<Candidate, 'counts' | 'impact' | 'estimate'> {
  const counts = PatternEvidence.merge(members.map(({ evidence }) => evidence)).counts();
  return {
    counts,
    impact: impactOf(counts),
    estimate: estimate(pattern, { failing: counts.executions, using, contrast }),
  };
}

const byFailures = (members: readonly Pattern[]): Pattern[] =>
  [...members].sort((a, b) => b.evidence.failures - a.evidence.failures || byGranularity(a, b));

function meetsAgentThresholds({ evidence }: Pattern, settings: SelectionSettings): boolean {
  return evidence.hasAtLeast(settings.minAgentsForPattern, settings.minOwnersForPattern);
}

/** Returns the coarsest granularity whose remedy has enough confidence; otherwise the coarsest one with a remedy. */
function chooseGranularity(
  patterns: readonly Pattern[],
  { minConfidence }: SelectionSettings,
  estimate: EstimateFunction,
): Pattern | undefined {
  const isSpecial = ({ contrast }: Pattern): number => (contrast.chosen?.following === undefined ? 0 : 1);
  // A remedy that holds only after certain steps is the last choice.
  const solved = patterns.filter((pattern) => pattern.contrast.chosen).sort((a, b) => isSpecial(a) - isSpecial(b));
  return solved.find((pattern) => estimate(pattern).value >= minConfidence) ?? solved[0];
}

function byGranularity(a: Pattern, b: Pattern): number {
  return (
    GRANULARITIES.indexOf(a.granularity) - GRANULARITIES.indexOf(b.granularity) ||
    b.evidence.failures - a.evidence.failures ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

/** If `python` fails in several ways and `python3` overcomes all of them, this is one lesson, not several. */
function mergeByRemedy(patterns: readonly Pattern[], estimate: EstimateFunction): Candidate[] {
  const lessons = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    const chosen = pattern.contrast.chosen;
    const key = JSON.stringify([
      pattern.tool,
      pattern.action,
      pattern.project,
      chosen?.how,
      chosen && remedyKey(chosen),
    ]);
    lessons.set(key, [...(lessons.get(key) ?? []), pattern]);
  }
  return [...lessons.values()].flatMap((members) => {
    const [main, ...others] = members.sort(
      (a, b) => b.evidence.executionIds.size - a.evidence.executionIds.size || byGranularity(a, b),
    );
    return main
      ? candidateOf(
          main,
          others.filter((other) => isClearlyBetter(other.contrast)),
          estimate,
        )
      : [];
  });
}

/** The lesson covers all members, but names and counts only those that the remedy clearly overcomes. */
function candidateOf(main: Pattern, others: readonly Pattern[], estimate: EstimateFunction): Candidate[] {
  const named = [main, ...others.filter((other) => isClearlyBetter(other.contrast))];
  const evidence = named.length === 1 ? main.evidence : PatternEvidence.merge(named.map((pattern) => pattern.evidence));
  const counts = evidence.counts();
  const merged = contrastOf(main.coarse, evidence.trials.values(), main.rule, main.contrast.chosen?.skipsCheck);
  // A sum can hide a remedy that each part has; then the contrast of the main pattern is shown.
  const own = main.contrast.chosen;
  const isSame = merged.chosen?.action === own?.action && merged.chosen?.following === own?.following;
  const contrast = isSame ? merged : main.contrast;
  const chosen = contrast.chosen;
  if (!chosen) return [];
  const using = Math.max(main.using, counts.executions);
  return [
    {
      pattern: main,
      fingerprints: [main, ...others].flatMap((pattern) => [pattern.fingerprint, ...pattern.alsoKnownAs]),
      actionFingerprint: actionFingerprint(chosen.how, remedyKey(chosen)),
      errorClasses: named.map((pattern) => pattern.errorClass),
      template: main.template,
      counts,
      executions: evidence.executionIds,
      using,
      contrast,
      chosen,
      estimate: estimate(main, { failing: counts.executions, using, contrast }),
      impact: impactOf(counts),
    },
  ];
}

/** The same action after other steps is another remedy. */
const remedyKey = ({ action, following }: Alternative): string =>
  following === undefined ? action : `${following} > ! > ${action}`;
