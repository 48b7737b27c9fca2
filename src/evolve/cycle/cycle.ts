import type { Attribution } from '../../capture/errors/attribution.js';
import { type Arm, pairOf } from '../../evidence/predicate/check.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type CaseSource, type Reading, readFromSource, TableCache } from '../cases/table-cache.js';
import type { KnownClaimsInput } from '../drafts/known-claims.js';
import type { Family } from '../evidence/candidate.js';
import { MIN_TRIES } from '../evidence/verdict.js';
import { dropReasonOf } from '../examination/drop-reason.js';
import { type ExaminedCandidate, type FamilyFindings, whatIsLeft } from '../examination/family-examination.js';
import { type FamilyStanding, standingOf, type Way, WITHOUT_LESSON } from '../examination/family-outcomes.js';
import { windowFindings } from '../examination/window-examination.js';
import { type EvidenceCounts, impactOf, type LostCalls } from '../support/pattern-evidence.js';
import type { SupportLevel } from '../support/support.schema.js';
import { FEWEST_PARTIES, minConfidence, supportLevel } from '../support/support-level.js';
import type { TaskProblem } from '../support/task-outcomes.js';
import type { CycleReader } from '../window/cycle-reader.js';
import { type CycleSettings, draftsOf } from './cycle-drafts.js';
import { type Examination, examinationOf } from './cycle-examination.js';
import type { ClassifiedDrafts } from './draft-classifier.js';

/** The result of a cycle over its window. The cycle itself writes nothing. */
export interface CycleOutcome extends ClassifiedDrafts {
  readonly executionsRead: number;
  /** Families of failures, of whatever number of agents. */
  readonly patterns: number;
  /** Families of enough agents. */
  readonly kept: number;
  readonly belowThreshold: number;
  /** What was enough. */
  readonly support: SupportLevel;
  readonly excludedFailures: Readonly<Partial<Record<Attribution, number>>>;
  /** The failures of the window, each in one place; those that are no fault of the procedure are excluded above. */
  readonly places: Readonly<Partial<Record<Place, number>>>;
  /** No execution got past them. */
  readonly unsolved: readonly OpenProblem[];
  /** Only overcome by skipping a check, which is no remedy. */
  readonly onlySkipped: readonly OpenProblem[];
  /** Executions got past them, and nothing that they did is a lesson. */
  readonly overcome: readonly (OpenProblem & { readonly standing: (typeof WITHOUT_LESSON)[number] })[];
  /** Families of too few agents, those of the most failures; `belowThreshold` counts all. */
  readonly tooFew: readonly RareProblem[];
  /** Checks of single tasks that enough agents failed. They are reported and never proposed. */
  readonly tasks: readonly TaskProblem[];
  readonly examination: Examination;
}

/** Where a failure of a window is: in a proposal, among families of too few agents, or in a list of open problems. */
type Place = 'proposed' | 'too_few' | 'not_examined' | FamilyStanding;

/** A family without a lesson. */
export interface OpenProblem {
  readonly standing: FamilyStanding;
  /** How executions got past it. */
  readonly ways: readonly Way[];
  readonly action: string;
  readonly errorClass: string;
  readonly fingerprint: string;
  readonly counts: EvidenceCounts;
  readonly lost: LostCalls;
  /** What was tried most, and how often it worked: it was not good enough. */
  readonly tried: Arm;
  /** What a remedy that waits has, and what it needs. */
  readonly missing?: string;
}

/** A family of too little support. */
export type RareProblem = Pick<OpenProblem, 'action' | 'errorClass' | 'counts'> & { readonly supported: number };

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
  const families = reader.index.families();
  const level = supportLevel(reader.index.ledger.countAgents(), settings.minAgentsForPattern);
  const isEnough = ({ evidence }: Family): boolean => evidence.isSupported(level, settings.minOwnersForPattern);
  const enough = families.filter(isEnough);
  const tables = new TableCache(level.unit);
  const findings = yield* windowFindings(reader, enough, settings, { tables });
  const { lessons, refused, classified } = yield* draftsOf(reader.index, findings, tables, known, {
    ...settings,
    unit: level.unit,
    minConfidenceForProposal: minConfidence(level, settings.minConfidenceForProposal),
  });
  const solved = new Set(
    lessons.flatMap(({ main, families: of }) => (main.skipsCheck ? [] : of.map(({ fingerprint }) => fingerprint))),
  );
  const left = findings.flatMap((one) =>
    solved.has(one.family.fingerprint) ? (whatIsLeft(one, reader.index.ledger) ?? []) : one,
  );
  const problems = left
    .filter(({ family }) => isEnough(family))
    .map(problemOf)
    .sort(byImpact);
  const problemsOf = <S extends FamilyStanding>(...wanted: readonly S[]) =>
    problems.filter((one): one is OpenProblem & { standing: S } =>
      wanted.some((standing) => standing === one.standing),
    );
  return {
    executionsRead: reader.index.executions,
    patterns: families.length,
    kept: enough.length,
    belowThreshold: families.length - enough.length,
    support: level,
    excludedFailures: { ...reader.excludedFailures },
    ...classified,
    places: placesOf({ families, enough, findings }, left, problems),
    unsolved: problemsOf('unsolved'),
    onlySkipped: problemsOf('only_skipped_a_check'),
    overcome: problemsOf(...WITHOUT_LESSON),
    tooFew: rareProblems(families, new Set(enough), level),
    tasks: reader.tasks.problems(level, settings.minOwnersForPattern),
    examination: examinationOf(families, findings, lessons, refused),
  };
}

/** The families of a window, those of enough agents, and what was found about those that were examined. */
interface Examined {
  readonly families: readonly Family[];
  readonly enough: readonly Family[];
  readonly findings: readonly FamilyFindings[];
}

/** Each failure of the families of a window is in one place. */
function placesOf(
  { families, enough, findings }: Examined,
  left: readonly FamilyFindings[],
  problems: readonly OpenProblem[],
): CycleOutcome['places'] {
  const places: Partial<Record<Place, number>> = {};
  const add = (place: Place, failures: number): void => {
    if (failures > 0) places[place] = (places[place] ?? 0) + failures;
  };
  const [kept, examined] = [enough, findings.map(({ family }) => family)].map(
    (list) => new Set(list.map(({ fingerprint }) => fingerprint)),
  );
  const open = new Map(problems.map((one) => [one.fingerprint, one.standing]));
  const rest = new Map(left.map(({ family }) => [family.fingerprint, family.evidence.failures]));
  for (const { fingerprint, evidence } of families) {
    if (!kept?.has(fingerprint)) add('too_few', evidence.failures);
    else if (!examined?.has(fingerprint)) add('not_examined', evidence.failures);
    else {
      const beside = rest.get(fingerprint) ?? 0;
      add('proposed', evidence.failures - beside);
      add(open.get(fingerprint) ?? 'too_few', beside);
    }
  }
  return places;
}

/** Listed families of too few agents. */
const MOST_RARE = 200;

function rareProblems(families: readonly Family[], enough: ReadonlySet<Family>, { unit }: SupportLevel): RareProblem[] {
  return families
    .filter((one) => !enough.has(one))
    .sort((a, b) => b.evidence.failures - a.evidence.failures || compareText(a.fingerprint, b.fingerprint))
    .slice(0, MOST_RARE)
    .map(({ actions: [action = ''], errorClasses: [errorClass = ''], evidence }) => {
      return { action, errorClass, counts: evidence.counts(), supported: evidence.support(unit) };
    });
}

function problemOf({ family, candidates, outcomes }: FamilyFindings): OpenProblem {
  const standing = standingWith(candidates, standingOf(outcomes));
  const waiting = standing === 'waiting' ? candidates.find(isWaiting) : undefined;
  return {
    standing,
    ...(waiting ? { missing: missingText(waiting) } : {}),
    ways: outcomes.ways,
    action: family.actions[0] ?? '',
    errorClass: family.errorClasses[0] ?? '',
    fingerprint: family.fingerprint,
    counts: family.evidence.counts(),
    lost: outcomes.lost,
    tried: candidates.map(({ check: { seen } }) => seen.with).reduce(moreTried, { worked: 0, n: 0 }),
  };
}

/** What agents overcame may have a remedy that they manage by themselves, or that waits for more tries. */
function standingWith(candidates: readonly ExaminedCandidate[], standing: FamilyStanding): FamilyStanding {
  if (standing !== 'no_proven_remedy' && standing !== 'too_few_agents') return standing;
  if (candidates.some(({ isManaged }) => isManaged)) return 'managed';
  return candidates.some(isWaiting) ? 'waiting' : standing;
}

const missingText = ({ label, check }: ExaminedCandidate): string => {
  const { with: taught, without } = pairOf(check);
  return `${label}: ${taught.n} of ${MIN_TRIES.with} tries with it, ${without.n} of ${MIN_TRIES.without} without it`;
};

/** It worked for several parties, as often as not, and a few tries are missing. */
const isWaiting = ({ check, workedFor }: ExaminedCandidate): boolean =>
  dropReasonOf(check, []) === 'too_few_tries' &&
  workedFor.parties >= FEWEST_PARTIES &&
  2 * check.seen.with.worked >= check.seen.with.n;

const moreTried = (a: Arm, b: Arm): Arm => (b.n > a.n || (b.n === a.n && b.worked > a.worked) ? b : a);

const byImpact = (a: OpenProblem, b: OpenProblem): number =>
  impactOf(b.counts, b.lost) - impactOf(a.counts, a.lost) || compareText(a.fingerprint, b.fingerprint);

/** Limits the drafts to the free places of the queue, strongest first. The others wait for a later cycle. */
export function limitToQueueRoom(outcome: CycleOutcome, room: number): CycleOutcome {
  const { drafts, heldBack } = outcome;
  return { ...outcome, drafts: drafts.slice(0, room), heldBack: [...drafts.slice(room), ...heldBack] };
}
