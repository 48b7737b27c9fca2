import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Candidate, Family } from '../evidence/candidate.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { actionHypotheses } from './action-hypotheses.js';
import { conditionOf } from './condition.js';
import { firingsOf, firstFirings, mostFrequent } from './firing.js';
import { formHypotheses } from './form-hypotheses.js';
import type { Hypothesis, Sample } from './hypothesis.js';
import { stepHypotheses } from './step-hypotheses.js';
import { gainOf, type Tries, type Try, triesAfter, triesOfForm, workedIn } from './tally.js';
import { trialHypotheses, trialsOf } from './trial-hypotheses.js';
import { valueHypotheses } from './value-hypotheses.js';

/** What the rules writer reads: a family, and the executions of the learning half. */
export interface FamilySample {
  readonly family: Family;
  readonly isMember: (call: RecordedCall) => boolean;
  readonly executions: readonly RecordedExecution[];
  /** Also returns what only skipped a check; the executions must be recorded so. */
  readonly countSkippedChecks?: boolean;
}

/**
 * The most candidates of a family. `minWorked`: executions; `minShare`: of the tries that follow; `minDifference`: to the
 * share of the others.
 */
export const CANDIDATE_SETTINGS = {
  most: 12,
  minWorked: 2,
  minShare: 0.34,
  minDifference: 0.1,
  minOrigins: 3,
  sameTries: 0.7,
} as const;

/** A hypothesis with its tries in the learning half. */
export interface CountedHypothesis {
  readonly one: Hypothesis;
  readonly after: Tries;
  readonly form: Tries;
  readonly gain: number;
}

/** The candidates of a family, the best supported first. Pure; independent of the order of the executions. */
export function candidatesOf(sample: FamilySample): Candidate[] {
  return countedHypotheses(sample).map(candidateOf);
}

/** The hypotheses that the learning half supports, each with its tries. */
export function countedHypotheses({
  family,
  isMember,
  executions,
  countSkippedChecks = false,
}: FamilySample): CountedHypothesis[] {
  const firings = firingsOf(executions, isMember);
  if (firings.length === 0) return [];
  const when = conditionOf(family, firings);
  if (when.length === 0) return [];
  const sample: Sample = {
    firings,
    when,
    countSkippedChecks,
    first: firstFirings(firings),
    conditionOf: (some) => conditionOf(family, some),
    minOrigins: family.project === undefined ? CANDIDATE_SETTINGS.minOrigins : 1,
  };
  const all = [
    ...formHypotheses(sample, executions),
    ...trialHypotheses(sample),
    ...actionHypotheses(sample),
    ...stepHypotheses(sample),
    ...valueHypotheses(sample),
  ];
  const counted = all
    .filter(({ predicate }) => Predicate.safeParse(predicate).success)
    .map((one): CountedHypothesis => {
      const after = triesAfter(one.predicate, executions);
      const form = triesOfForm(one.predicate, executions);
      return { one, after, form, gain: Math.max(gainOf(after), gainOf(form)) };
    })
    .filter(isSupported)
    .sort(byEvidence);
  return distinct(counted).slice(0, CANDIDATE_SETTINGS.most);
}

/** Fewer tries in the failing form say nothing against first calls, of which there are more. */
const FEWEST_CONTROLS = 3;

function isSupported({ one, after, form }: CountedHypothesis): boolean {
  const { minWorked, minShare, minDifference } = CANDIDATE_SETTINGS;
  const worked = workedIn(after.with);
  if (worked < minWorked || worked < minShare * after.with.length) return false;
  const isEnough = after.without.length >= FEWEST_CONTROLS;
  if (gainOf(form) > 0 && (!isEnough || shareOf(after.with) >= shareOf(after.without))) return true;
  // What is only left out or only added may be a coincidence, if no try kept to the failing form and no error blames it.
  const isOneSided =
    one.kind === 'form' && (one.taught.length === 0 || one.avoided.length === 0) && !isBlamed(one, after.with);
  if (after.without.length === 0) return !isOneSided && worked > minWorked;
  return shareOf(after.with) - shareOf(after.without) >= minDifference;
}

/** The errors must name what is left out, in this share of the tries that worked. */
const BLAMED_SHARE = 0.6;

/** Returns whether the lesson is to leave out what the errors name: `cd app`, or the folder of a path. */
function isBlamed({ taught, avoided }: Hypothesis, tries: readonly Try[]): boolean {
  if (taught.length > 0 || avoided.length === 0) return false;
  const names = avoided.map((name) => name.replace(/\/$/, '').toLowerCase());
  const worked = tries.filter((one) => one.worked);
  const naming = worked.filter(({ failed }) => {
    const words = failed?.error.toLowerCase().split(/[^\w.-]+/) ?? [];
    return names.every((name) => words.includes(name));
  });
  return worked.length > 0 && naming.length >= BLAMED_SHARE * worked.length;
}

/** The share that worked, drawn to a half: two of two are less than nine of ten. */
const shareOf = (tries: readonly Try[]): number => (workedIn(tries) + 1) / (tries.length + 2);

function byEvidence(a: CountedHypothesis, b: CountedHypothesis): number {
  return (
    rankOf(b) - rankOf(a) ||
    b.gain - a.gain ||
    workedIn(b.after.with) - workedIn(a.after.with) ||
    compareText(JSON.stringify(a.one.predicate), JSON.stringify(b.one.predicate))
  );
}

/** A difference in gain that counts, in tenths; what names both sides goes before what names one, and a value last. */
function rankOf({ one, gain }: CountedHypothesis): number {
  const named = one.kind === 'value' ? -0.05 : one.taught.length > 0 && one.avoided.length > 0 ? 0.05 : 0;
  return Math.round(10 * (gain + named));
}

/** Without those that worked where a better one did. */
function distinct(counted: readonly CountedHypothesis[]): CountedHypothesis[] {
  const kept: CountedHypothesis[] = [];
  for (const one of counted)
    if (!kept.some((better) => saysLess(one.one, better.one) || worksAlike(one, better))) kept.push(one);
  return kept;
}

/** Returns whether the other one says the same, or the same and more: `python3`, and `python3` in the place of `python`. */
function saysLess(one: Hypothesis, other: Hypothesis): boolean {
  if (keyOf(one) === keyOf(other)) return true;
  const isPart = (own: readonly string[], all: readonly string[]): boolean => own.every((name) => all.includes(name));
  return (
    one.kind === 'form' &&
    other.kind === 'form' &&
    isPart(one.taught, other.taught) &&
    isPart(one.avoided, other.avoided)
  );
}

function worksAlike(one: CountedHypothesis, other: CountedHypothesis): boolean {
  const own = workedIds(one.after.with);
  const known = workedIds(other.after.with);
  const shared = [...own].filter((id) => known.has(id)).length;
  return shared >= CANDIDATE_SETTINGS.sameTries * own.size;
}

const workedIds = (tries: readonly Try[]): Set<string> =>
  new Set(tries.flatMap(({ execution, call, worked }) => (worked ? [`${execution.id} ${call.index}`] : [])));

/** A folder is the same with and without its slash. */
const bare = (names: readonly string[]): string[] =>
  names.map((name) => name.replace(/(?<=.)\/$/, '')).sort(compareText);

/** What a hypothesis teaches apart from the failure: hypotheses with one key are one lesson, whichever writer has them. */
export const keyOf = ({
  kind,
  taught,
  avoided,
  context,
  teaching,
}: Pick<Hypothesis, 'kind' | 'taught' | 'avoided' | 'context' | 'teaching'>): string =>
  JSON.stringify(teaching === undefined ? [kind, bare(taught), bare(avoided), context] : [kind, teaching]);

function candidateOf({ one, after }: CountedHypothesis): Candidate {
  const { how, taught, avoided, predicate } = one;
  const action = observedAction(one, after.with) ?? one.action;
  return { key: keyOf(one), how, action, label: labelOf(one), taught, avoided, predicate };
}

/** The name that most observations have for what is taught; another action that happened to work says nothing about it. */
function observedAction({ kind, how, taught }: Hypothesis, tries: readonly Try[]): string | undefined {
  if (kind === 'step') return undefined;
  const observed = tries.flatMap(({ execution, failed, call, worked }) => {
    if (!worked || !failed) return [];
    const trial = trialsOf({ execution, failed, later: [] }).find(({ at, worked: did }) => at === call.index && did);
    if (!trial || trial.how !== how) return [];
    const action = trial.coarse === failed.failure?.action ? trial.fine : trial.coarse;
    return how !== 'replace' || taught.every((name) => holdsWord(action, name)) ? [action] : [];
  });
  return mostFrequent(observed)[0]?.[0];
}

const holdsWord = (action: string, name: string): boolean =>
  action.split(/[\s=,[\]]+/).includes(name) || action === name;

/** The lesson as a table shows it. */
export function labelOf({
  kind,
  how,
  action,
  taught,
  avoided,
}: Pick<Hypothesis, 'kind' | 'how' | 'action' | 'taught' | 'avoided'>): string {
  if (kind === 'step' || how === 'prepare') return `${action.split(' > ').join(', then ')} first`;
  const [to, out] = [taught.join(', '), avoided.join(', ')];
  if (to === '') return `without ${out || action}`;
  return out === '' ? to : `${to} instead of ${out}`;
}
