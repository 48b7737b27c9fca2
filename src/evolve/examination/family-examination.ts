import type { UsedDanger } from '../../capture/observations/trial.js';
import type { Dossier } from '../../evidence/gates/dossier.schema.js';
import { type Check, VERDICTS } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { sharedCount } from '../../platform/base/sum.js';
import { type ClaimCase, claimCases } from '../cases/claim-cases.js';
import { usualError } from '../cases/shown-cases.js';
import { dossierOf, dossierSample } from '../dossiers/dossier-builder.js';
import { chanceIn } from '../evidence/by-chance.js';
import type { Candidate, CheckedCandidate, Family } from '../evidence/candidate.js';
import { checkPredicate, covers } from '../evidence/check.js';
import { halvesOf } from '../evidence/halves.js';
import {
  inOrder,
  type RecordedCall,
  type RecordedExecution,
  type RecordOptions,
  recordedExecution,
  skippingCalls,
} from '../evidence/recorded-execution.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { SupportUnit } from '../support/support.schema.js';
import { FEWEST_PARTIES } from '../support/support-level.js';
import { bindingOf } from './binding.js';
import { candidatesOf } from './candidates.js';
import { dropReasonOf, mayTeach } from './drop-reason.js';
import { type FamilyOutcomes, familyOutcomes } from './family-outcomes.js';
import { isManaged } from './managed.js';

/** What the examination of a family found. */
export interface FamilyFindings {
  readonly family: Family;
  readonly dossier: Dossier;
  readonly candidates: readonly ExaminedCandidate[];
  /** What became of its failures. */
  readonly outcomes: FamilyOutcomes;
  /** The executions that were read. */
  readonly examined: number;
  /** True for a failed call of the family. */
  readonly isMember: (call: RecordedCall) => boolean;
  /** The ids of these executions, and how they were split in halves. */
  readonly read: readonly string[];
  readonly split: Check['split'];
  /** Its failures that no candidate which may be proposed is about; undefined if there is no such candidate. */
  readonly beside?: {
    readonly shares: readonly { readonly id: string; readonly model: string | undefined; readonly failures: number }[];
    readonly outcomes: FamilyOutcomes;
  };
}

type Membership = (call: RecordedCall) => boolean;

/**
 * Examines a family on the executions that were read for it, those of its controls included: candidates are learned from
 * one half of the origins and checked on the other, both ways. Pure; does not depend on the order of the executions.
 */
export function examineFamily(
  family: Family,
  given: readonly RecordedExecution[],
  { proposeSkippedChecks = false }: ExaminationSettings,
  mostChance = chanceOfEach(1, 'agents'),
): FamilyFindings {
  const sample = { family, executions: [...given].sort(inOrder), isMember: membersOf(family), mostChance };
  const found = findingsOf(sample);
  return proposeSkippedChecks && isOnlySkipped(found) ? withSkippedChecks(found, sample) : found;
}

export interface ExaminationSettings {
  /** Also proposes what only skipped a check, where nothing else overcame the failure. */
  readonly proposeSkippedChecks?: boolean;
}

/**
 * How likely one of the families of a cycle may have a lesson by chance that no other executions tested. One developer who
 * met a failure in three sessions, each with one other call that worked, cannot show more than one in eight.
 */
const MOST_CHANCE = { agents: 0.1, projects: 0.1, sessions: 0.15 } as const;
/** Of more families, few have a candidate at all that gets so far. */
const FAMILIES = 20;

/** The same for one of so many families. */
export const chanceOfEach = (families: number, unit: SupportUnit): number =>
  MOST_CHANCE[unit] / Math.min(Math.max(families, 1), FAMILIES);

const isOnlySkipped = ({ outcomes, candidates }: FamilyFindings): boolean =>
  outcomes.parties.skipped.length >= FEWEST_PARTIES &&
  !candidates.some(({ check }) => dropReasonOf(check, []) === null);

/** The findings with the candidates that skip a check, marked as such. */
function withSkippedChecks(found: FamilyFindings, sample: FindingsInput): FamilyFindings {
  const options: RecordOptions = { countSkippedChecks: true };
  const executions = sample.executions.map(({ source, party }) => recordedExecution(source, { ...options, party }));
  const skipping = new Set(
    executions.flatMap(({ id, source }) => [...skippingCalls(source.observed)].map((at) => `${id} ${at}`)),
  );
  const candidates = findingsOf({ ...sample, executions }, options)
    .candidates.filter(({ treated }) => [...treated].some((call) => skipping.has(call)))
    .map((one): ExaminedCandidate => ({ ...one, skipsCheck: true }));
  return { ...found, candidates: bestOfEach([...found.candidates, ...candidates]) };
}

interface FindingsInput {
  readonly family: Family;
  readonly executions: readonly RecordedExecution[];
  readonly isMember: Membership;
  readonly mostChance: number;
}

/** Findings outlive the executions, so that this closure must not hold them. */
function membersOf({ fingerprints }: Family): Membership {
  const prints = new Set(fingerprints);
  return ({ failure }) => failure !== undefined && prints.has(failure.fingerprint);
}

function findingsOf(sampled: FindingsInput, options: RecordOptions = {}): FamilyFindings {
  const { family, executions, isMember, mostChance } = sampled;
  const split = family.project === undefined ? 'origin' : 'time';
  const halves = halvesOf(executions, { by: split });
  const learn = (from: readonly RecordedExecution[]) => candidatesOf({ isMember, executions: from, ...options });
  let chance: ReturnType<typeof chanceIn> | undefined;
  const isChance = ({ learned }: Predicate): boolean => {
    chance ??= chanceIn(executions, isMember);
    return learned !== undefined && chance(learned.follow) > mostChance;
  };
  const check = (
    candidate: Candidate,
    held: readonly RecordedExecution[],
    heldOut?: 'a' | 'b',
    ofHalves?: ExaminedCandidate['ofHalves'],
  ): ExaminedCandidate => {
    const { predicate } = candidate;
    const found = predicate.learned ? executions.flatMap(claimCases(predicate.learned, candidate.taught)) : [];
    const cases = found.filter(({ worked }) => worked !== undefined);
    const first = checkPredicate({
      predicate,
      isFamily: isMember,
      held,
      all: executions,
      split,
      versions: ofHalves && [
        { predicate: ofHalves.a, held: halves.b },
        { predicate: ofHalves.b, held: halves.a },
      ],
    });
    const isTested = first.verdict !== 'observed' || !(isForeign(cases) || isChance(predicate));
    const checked: Check = isTested ? first : { ...first, verdict: 'undecided' };
    return {
      ...candidate,
      check: checked,
      ...(mayTeach(checked) && isManaged(predicate, executions) ? { isManaged: true } : {}),
      ...(ofHalves ? { ofHalves } : {}),
      binding: bindingOf(candidate, cases),
      ...(heldOut ? { heldOut } : {}),
      workedFor: supportOf(cases),
      ...(dropReasonOf(checked, []) === null ? { cases: showing(found) } : {}),
      dangers: onePerCall(cases).flatMap((one) => one.dangers),
      remedyKeys: [...new Set(cases.flatMap(({ remedyKey }) => remedyKey ?? []))].sort(),
      treated: new Set(cases.flatMap(({ executionId, at }) => (at === undefined ? [] : `${executionId} ${at}`))),
    };
  };
  const ofA = learn(halves.a);
  // Of one project, only later executions check earlier ones.
  const ofB = split === 'origin' ? learn(halves.b) : [];
  const found = [
    ...ofA.map((one) => check(one, halves.b, 'b')),
    ...ofB.map((one) => check(one, halves.a, 'a')),
    ...learn(executions).map((one) => {
      const [a, b] = [ofA, ofB].map((half) => half.find(({ key }) => key === one.key));
      return a && b ? check(one, halves.b, 'b', { a: a.predicate, b: b.predicate }) : check(one, []);
    }),
  ];
  const sample = dossierSample({ isMember, executions });
  const candidates = bestOfEach(found).map((one) => ({ ...one, ...ownDossier(one, sampled) }));
  const taught = candidates.filter((one) => one.isManaged === undefined && dropReasonOf(one.check, []) === null);
  const isBeside: Membership = (call) => isMember(call) && !taught.some(({ predicate }) => covers(predicate)(call));
  return {
    family,
    dossier: dossierOf(family, sample),
    candidates,
    outcomes: familyOutcomes(sample, isMember),
    examined: executions.length,
    isMember,
    read: executions.map(({ id }) => id),
    split,
    ...(taught.length === 0
      ? {}
      : { beside: { shares: sharesOf(isBeside, executions), outcomes: familyOutcomes(sample, isBeside) } }),
  };
}

/** Of the failures that a lesson is about, where its family has those of other actions as well. */
function ownDossier(
  { predicate, failingAction, cases }: ExaminedCandidate,
  { family, executions, isMember }: FindingsInput,
): Pick<ExaminedCandidate, 'dossier'> {
  if (cases === undefined || failingAction === undefined || family.actions.length < 2) return {};
  const isOwn: Membership = (call) => isMember(call) && covers(predicate)(call);
  const sample = dossierSample({ isMember: isOwn, executions });
  return { dossier: dossierOf({ signature: usualError(cases) }, sample) };
}

/** What takes code from another source in most of its cases: that it was seen to work says nothing, any package does. */
const isForeign = (cases: readonly ClaimCase[]): boolean =>
  2 * cases.filter(({ dangers }) => dangers.some((danger) => danger.class === 'source')).length > cases.length;

/** The cases of so many executions, those in which it worked first. Findings outlive the executions. */
function showing(cases: readonly ClaimCase[]): ClaimCase[] {
  const byUse = [...cases].sort((a, b) => Number(a.worked === undefined) - Number(b.worked === undefined));
  const shown = new Set([...new Set(byUse.map(({ executionId }) => executionId))].slice(0, SHOWING));
  return byUse.filter(({ executionId }) => shown.has(executionId));
}

/** A call that overcame several failures of an execution was made once. */
const onePerCall = (cases: readonly ClaimCase[]): ClaimCase[] => [
  ...new Map(cases.map((one) => [`${one.executionId} ${one.at}`, one])).values(),
];

/** The executions with such failures, and how many each has. */
const sharesOf = (isBeside: Membership, executions: readonly RecordedExecution[]) =>
  executions.flatMap(({ id, calls, source }) => {
    const failures = calls.filter(isBeside).length;
    return failures === 0 ? [] : [{ id, model: source.observed.model, failures }];
  });

/**
 * Returns the failures of a family that has lessons which none of these matches, with what became of them. Undefined if
 * they match all.
 */
export function whatIsLeft({ beside, ...found }: FamilyFindings, ledger: Ledger): FamilyFindings | undefined {
  const evidence = new PatternEvidence(ledger);
  for (const { id, ...of } of beside?.shares ?? []) {
    const execution = ledger.numberOf(id);
    if (execution !== undefined) evidence.addExecution({ execution, ...of });
  }
  if (beside === undefined || evidence.failures === 0) return undefined;
  return { ...found, family: { ...found.family, evidence }, outcomes: beside.outcomes };
}

/** A candidate with its check, and which half of the executions was held out; undefined if none was. */
export interface ExaminedCandidate extends CheckedCandidate {
  readonly heldOut?: 'a' | 'b';
  /** What each half taught of it, which the other half tested. */
  readonly ofHalves?: { readonly a: Predicate; readonly b: Predicate } | undefined;
  /** Parties, agents and owners of the executions in which it worked. */
  readonly workedFor: Readonly<Record<'parties' | 'agents' | 'owners', number>>;
  /** What shows it, if it may be proposed. */
  readonly cases?: readonly ClaimCase[];
  /** About its failures alone, where other actions of its family fail, too. */
  readonly dossier?: Dossier;
  readonly dangers: readonly UsedDanger[];
  /** The keys of private lessons about what worked. */
  readonly remedyKeys?: readonly string[];
  /** The calls that did what it says and worked: the id of the execution with the place of the call. */
  readonly treated: ReadonlySet<string>;
  /** Agents do at once what the error says, and nothing shows that the lesson prevents it. */
  readonly isManaged?: true;
  /** It got past the failure only by skipping a check. */
  readonly skipsCheck?: true;
}

/** Executions whose cases are kept of a candidate. */
const SHOWING = 60;

/** The parties, agents and owners of cases. */
const supportOf = (
  cases: readonly Pick<ClaimCase, 'party' | 'agentId' | 'owner'>[],
): ExaminedCandidate['workedFor'] => ({
  parties: new Set(cases.map(({ party }) => party)).size,
  agents: new Set(cases.map(({ agentId }) => agentId)).size,
  owners: new Set(cases.map(({ owner }) => owner)).size,
});

/**
 * One candidate for each key, and for the same treated calls: the one whose check says most. A refutation on executions
 * that a candidate was not learned from outweighs all that was seen elsewhere.
 */
export function bestOfEach(found: readonly ExaminedCandidate[]): ExaminedCandidate[] {
  const refuted = found.filter(({ check }) => check.verdict === 'refuted');
  const isRefuted = (one: ExaminedCandidate): boolean => refuted.some((other) => refutes(other, one));
  const best: ExaminedCandidate[] = [];
  for (const one of [...found].sort(byVerdict)) {
    if (one.check.verdict !== 'refuted' && isRefuted(one)) continue;
    if (!best.some((better) => teachSame(better, one))) best.push(one);
  }
  return best;
}

/** Returns whether a refuted candidate takes another one with it; of a confirmed one only what has its key. */
const refutes = (refuted: ExaminedCandidate, one: ExaminedCandidate): boolean =>
  refuted.key === one.key || (one.check.verdict !== 'confirmed' && teachSame(refuted, one));

/** Returns whether candidates of one family say the same: by their key, or by the calls in which they worked. */
const teachSame = (a: ExaminedCandidate, b: ExaminedCandidate): boolean =>
  a.key === b.key ||
  sharedCount(a.treated, b.treated) >= SAME_CALLS * Math.max(1, Math.min(a.treated.size, b.treated.size));

/** Candidates that share this part of the treated calls of either say the same. */
const SAME_CALLS = 0.6;

/** A held-out check before one on all executions, then by verdict and the number of tries. */
function byVerdict(a: ExaminedCandidate, b: ExaminedCandidate): number {
  const rank = ({ check }: ExaminedCandidate): number => VERDICTS.indexOf(check.verdict);
  const tries = ({ check }: ExaminedCandidate): number => check.seen.with.n;
  return (
    rank(a) - rank(b) ||
    Number(a.heldOut === undefined) - Number(b.heldOut === undefined) ||
    Number(a.ofHalves === undefined) - Number(b.ofHalves === undefined) ||
    tries(b) - tries(a) ||
    compareText(`${a.key} ${a.heldOut ?? ''}`, `${b.key} ${b.heldOut ?? ''}`)
  );
}
