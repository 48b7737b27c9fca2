import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import { GRANULARITIES } from '../../capture/observations/observation.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type EvidenceCounts, PatternEvidence } from '../evidence/pattern-evidence.js';
import { probabilityOfBetter } from '../statistics/probability.js';
import { agreementOf, isConfirmed, narrowPatternsOf, remedyOutcomeIn } from './agreement.js';
import type { ConfidenceEstimate, ConfidenceEstimator, ConfidenceInput } from './confidence.js';
import {
  type Alternative,
  BREADTH_SETTINGS,
  type Contrast,
  contrastOf,
  isClearlyBetter,
  isTransient,
} from './contrast.js';
import { impactOf, meetsThresholds } from './impact.js';
import type { Pattern } from './pattern.js';
import { RepeatRates } from './repeat-rates.js';

/** A pattern with a remedy, ready to be worded: one granularity, and one lesson per failing action and remedy. */
export interface Candidate {
  pattern: Pattern;
  /** All fingerprints that this lesson answers to, its own first. */
  fingerprints: string[];
  actionFingerprint: string;
  errorClasses: string[];
  /** The most frequent one of the first class. */
  template: string;
  counts: EvidenceCounts;
  using: number;
  contrast: Contrast;
  chosen: Alternative;
  estimate: ConfidenceEstimate;
  /** Failures in the window × agents: the order of the queue (spec E3). */
  impact: number;
}

export interface SelectionSettings {
  minAgentsForPattern: number;
  minOwnersForPattern: number;
  minConfidence: number;
  estimator: ConfidenceEstimator;
}

export interface Selection {
  /** Patterns at the granularity of action and error class; the finer granularities are ways of telling them, not patterns more. */
  patterns: number;
  kept: number;
  belowThreshold: number;
  /** Ranked by impact, whatever their confidence. */
  candidates: Candidate[];
  /** Overcome by doing the same again: neither a lesson nor a problem. */
  passing: number;
  /** Seen by enough agents, overcome by none of the things tried. */
  unsolved: Pattern[];
}

/** Chooses what may become a lesson: enough distinct agents, one granularity, a remedy (spec E1.3 and E1.4). */
export function selectCandidates(found: readonly Pattern[], settings: SelectionSettings): Selection {
  // In which order executions came and went must not show.
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
    if (one) chosen.push(one);
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
  selection.unsolved.sort(
    (a, b) => impactOf(b.counts) - impactOf(a.counts) || compareText(a.fingerprint, b.fingerprint),
  );
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

/** A broad pattern whose remedy its members bear out, with the members that it speaks for. */
interface BroadLesson {
  pattern: Pattern;
  chosen: Alternative;
  members: Pattern[];
}

/** Of two broad patterns that share a member, the one with more failures speaks for it. */
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
    // What takes the longest to count comes last, and only for the few that it matters for.
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

/** The narrow pattern says the same, or nothing that is surely better: then it is told in the broad lesson. */
function subsumes({ pattern: broad, chosen, members }: BroadLesson, narrow: Pattern): boolean {
  const own = narrow.contrast.chosen;
  if (!own || !members.some((member) => isSameFailure(member, narrow))) return false;
  return probabilityOfBetter(own.outcome, remedyOutcomeIn(narrow, chosen, broad)) < BREADTH_SETTINGS.different;
}

/** At whatever granularity. */
function isSameFailure(a: Pattern, b: Pattern): boolean {
  return a.tool === b.tool && a.coarse === b.coarse && a.errorClass === b.errorClass && a.project === b.project;
}

function broadCandidate(lesson: BroadLesson, narrow: readonly Pattern[], estimate: EstimateFunction): Candidate[] {
  const subsumed = narrow.filter((one) => subsumes(lesson, one));
  const separate = narrow.filter((one) => !subsumed.includes(one));
  // What has a lesson of its own answers to that one alone.
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

/** Who met the failures that the lesson answers to: what is told apart counts there. */
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

/** The coarsest granularity with a remedy that is also sure enough; failing that, the coarsest with a remedy. */
function chooseGranularity(
  patterns: readonly Pattern[],
  { minConfidence }: SelectionSettings,
  estimate: EstimateFunction,
): Pattern | undefined {
  const isSpecial = ({ contrast }: Pattern): number => (contrast.chosen?.following === undefined ? 0 : 1);
  // What holds after certain steps only is told where nothing else is.
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

/** `python` fails in several ways and `python3` overcomes all of them: that is one lesson, not one per error. */
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

/** All members answer to the lesson; only those that the remedy clearly overcomes are named in it and counted. */
function candidateOf(main: Pattern, others: readonly Pattern[], estimate: EstimateFunction): Candidate[] {
  const subsumed = [main, ...others.filter((other) => isClearlyBetter(other.contrast))];
  const evidence =
    subsumed.length === 1 ? main.evidence : PatternEvidence.merge(subsumed.map((pattern) => pattern.evidence));
  const counts = evidence.counts();
  const merged = contrastOf(main.coarse, evidence.trials.values());
  // Adding up can hide the remedy that each part has; then the main pattern's own contrast is shown.
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
      errorClasses: subsumed.map((pattern) => pattern.errorClass),
      template: main.template,
      counts,
      using,
      contrast,
      chosen,
      estimate: estimate(main, { failing: counts.executions, using, contrast }),
      impact: impactOf(counts),
    },
  ];
}

/** The same action after other steps is another proposal. */
const remedyKey = ({ action, following }: Alternative): string =>
  following === undefined ? action : `${following} > ! > ${action}`;

/** How sure a pattern is, or what it was put together with. */
type EstimateFunction = (
  pattern: Pattern,
  merged?: Pick<ConfidenceInput, 'failing' | 'using' | 'contrast'>,
) => ConfidenceEstimate;

function estimateFunction(estimator: ConfidenceEstimator, repeating: RepeatRates): EstimateFunction {
  return (pattern, merged) =>
    estimator.estimate({
      ...(merged ?? {
        failing: pattern.evidence.executionIds.size,
        using: pattern.using,
        contrast: pattern.contrast,
      }),
      otherRepeats: repeating.excluding(pattern),
    });
}
