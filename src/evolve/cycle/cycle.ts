import type { Attribution } from '../../capture/errors/attribution.js';
import type { Arm } from '../../evidence/predicate/check.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type CaseSource, type Reading, readFromSource } from '../cases/reading.js';
import type { KnownClaimsInput } from '../drafts/known-claims.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import { type FamilyStanding, standingOf, type Way, WITHOUT_LESSON } from '../examination/family-outcomes.js';
import { whatIsLeft } from '../examination/what-is-left.js';
import { impactOf, type LostCalls } from '../support/impact.js';
import type { EvidenceCounts } from '../support/pattern-evidence.js';
import type { TaskProblem } from '../support/task-outcomes.js';
import type { CycleReader } from '../window/cycle-reader.js';
import { draftsOf } from './cycle-drafts.js';
import { type Examination, examinationOf } from './cycle-examination.js';
import { type CycleSettings, examineWindow } from './cycle-window.js';
import type { ClassifiedDrafts } from './draft-classifier.js';

/** The result of a cycle over its window. The cycle itself writes nothing. */
export interface CycleOutcome extends ClassifiedDrafts {
  readonly executionsRead: number;
  /** Families of failures, of whatever number of agents. */
  readonly patterns: number;
  /** Families of enough agents. */
  readonly kept: number;
  readonly belowThreshold: number;
  readonly excludedFailures: Readonly<Partial<Record<Attribution, number>>>;
  /** Families that repeating the same call overcomes. */
  readonly passing: number;
  /** No execution got past them. */
  readonly unsolved: readonly OpenProblem[];
  /** Only overcome by skipping a check, which is no remedy. */
  readonly onlySkipped: readonly OpenProblem[];
  /** Executions got past them, and nothing that they did is a lesson. */
  readonly overcome: readonly (OpenProblem & { readonly standing: (typeof WITHOUT_LESSON)[number] })[];
  /** Checks of single tasks that enough agents failed. They are reported and never proposed. */
  readonly tasks: readonly TaskProblem[];
  readonly examination: Examination;
}

/** A family without a lesson. */
export interface OpenProblem {
  readonly standing: Exclude<FamilyStanding, 'passing'>;
  /** How executions got past it. */
  readonly ways: readonly Way[];
  readonly action: string;
  readonly errorClass: string;
  readonly fingerprint: string;
  readonly counts: EvidenceCounts;
  readonly lost: LostCalls;
  /** What was tried most, and how often it worked: it was not good enough. */
  readonly tried: Arm;
}

/** Runs a cycle over the counts of its window, and reads the reports of the examined executions from a source. */
export function finishCycleFrom(
  source: CaseSource,
  reader: CycleReader,
  known: KnownClaimsInput,
  settings: CycleSettings,
): Promise<CycleOutcome> {
  return readFromSource(cycleReading(reader, known, settings), source);
}

/**
 * One cycle from counts to drafts, without clock, database or model: the same executions, in any order, give the same
 * drafts in the same order.
 */
export function* cycleReading(
  reader: CycleReader,
  known: KnownClaimsInput,
  settings: CycleSettings,
): Reading<CycleOutcome> {
  const window = yield* examineWindow(reader, settings);
  const { families, enough, findings } = window;
  const { lessons, refused, classified } = yield* draftsOf(reader.index, window, known, settings);
  const solved = new Set(
    lessons.flatMap(({ main, families: of }) => (main.skipsCheck ? [] : of.map(({ fingerprint }) => fingerprint))),
  );
  // A value is a part of its family, which is listed with what is left of it.
  const open = findings
    .filter(
      ({ family, dossier }) =>
        dossier.kind === 'failure' && family.value === undefined && !solved.has(family.fingerprint),
    )
    .map((one) => whatIsLeft(one, findings, solved, reader.index.ledger))
    .filter(({ family }) => family.evidence.hasAtLeast(settings.minAgentsForPattern, settings.minOwnersForPattern));
  const problems = open.flatMap(problemOf).sort(byImpact);
  const problemsOf = <S extends FamilyStanding>(...wanted: readonly S[]) =>
    problems.filter((one): one is OpenProblem & { standing: S } =>
      wanted.some((standing) => standing === one.standing),
    );
  return {
    executionsRead: reader.index.executions,
    patterns: families.length,
    kept: enough.length,
    belowThreshold: families.length - enough.length,
    excludedFailures: { ...reader.excludedFailures },
    ...classified,
    passing: open.length - problems.length,
    unsolved: problemsOf('unsolved'),
    onlySkipped: problemsOf('only_skipped_a_check'),
    overcome: problemsOf(...WITHOUT_LESSON),
    tasks: reader.tasks.problems(settings),
    examination: examinationOf(families, findings, lessons, refused),
  };
}

/** Nothing for a family that repeating the call overcomes. */
function problemOf({ family, candidates, outcomes }: FamilyFindings): OpenProblem[] {
  const standing = standingOf(outcomes);
  if (standing === 'passing') return [];
  const problem = {
    standing,
    ways: outcomes.ways,
    action: family.actions[0] ?? '',
    errorClass: family.errorClasses[0] ?? '',
    fingerprint: family.fingerprint,
    counts: family.evidence.counts(),
    lost: outcomes.lost,
    tried: candidates.map(({ check: { seen } }) => seen.with).reduce(moreTried, { worked: 0, n: 0 }),
  };
  return [problem];
}

const moreTried = (a: Arm, b: Arm): Arm => (b.n > a.n || (b.n === a.n && b.worked > a.worked) ? b : a);

const byImpact = (a: OpenProblem, b: OpenProblem): number =>
  impactOf(b.counts, b.lost) - impactOf(a.counts, a.lost) || compareText(a.fingerprint, b.fingerprint);

/** Limits the drafts to the free places of the queue, strongest first. The others wait for a later cycle. */
export function limitToQueueRoom(outcome: CycleOutcome, room: number): CycleOutcome {
  const { drafts, heldBack } = outcome;
  return { ...outcome, drafts: drafts.slice(0, room), heldBack: [...drafts.slice(room), ...heldBack] };
}
