import { groupsOf } from '../../platform/base/sum.js';
import { isKeyword } from '../calls/tokens.js';
import { generalise } from '../patterns/generalise.js';
import type { LearnedClaim } from '../patterns/pattern.schema.js';
import type { Try } from '../recoveries/case.js';
import { isStep, type RefusedRemedy, refusedRemedy } from '../recoveries/refused-remedy.js';
import { asksForSame, follows } from './claim.js';
import { conditionsOf, openPlaces, plainOf } from './conditions.js';
import { distinct, isEnough, LEAST, type LearnedCase, problemKey, type Seen, shared, textsOf } from './learned-case.js';

/** A remedy that several runs recovered by, with its conditions. */
export interface LearnedLesson {
  readonly claim: LearnedClaim;
  /** The recoveries that it was learned from. */
  readonly supports: readonly Seen[];
}

/** The share of the tries of a remedy that worked, in each family. */
const LEAST_SHARE = 1 / 3;
/** Lessons that share as many of their recoveries say the same. */
const SAME = 0.6;
/** A remedy with an open place gives way to others that explain as many of its recoveries. */
const EXPLAINED = 0.8;
/** As many other tries say whether the remedy is better than these. */
const FEWEST_OTHERS = 4;
/** As many names that several runs put into a statement say which question it is, as those of a table with the columns. */
const NAMES_OF_QUESTION = 2;
const MOST = { rivals: 20, features: 60 } as const;

interface Remedy {
  readonly feature: string;
  /** All of them are features of a try that follows. */
  readonly follow: readonly string[];
  readonly byFamily: ReadonlyMap<string, readonly Seen[]>;
  readonly supports: readonly Seen[];
  /** Its tries that did not work, in the same families. */
  readonly failed: readonly Seen[];
}

/**
 * The remedies that runs share after the failures of one problem, the best first. A remedy is a feature that recoveries
 * of two runs, tasks and agents have; what else all its recoveries share belongs to it. Pure; the order of the cases does
 * not matter. `allowed`: refusals that do not count, where nothing else overcame the failures.
 */
export function learn(cases: readonly LearnedCase[], allowed: ReadonlySet<RefusedRemedy> = new Set()): LearnedLesson[] {
  const families = familiesOf([...cases].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
  const remedies = remediesIn(families).flatMap((one) => advisable(one, allowed) ?? []);
  const whole = remedies.filter((one) => !isLiteral(one) && !isSplit(one, remedies) && !isOver(one, remedies));
  const lessons = whole.flatMap((one) => lessonOf(one, remedies, families) ?? []);
  const kept: typeof lessons = [];
  for (const one of lessons.sort(byScore)) if (!saysTheSame(one, kept)) kept.push(one);
  return kept;
}

const keyOf = ({ run, one }: LearnedCase): string => `${run} ${one.failed.at}`;

interface Scored extends LearnedLesson {
  readonly score: number;
}

const byScore = (a: Scored, b: Scored): number =>
  b.score - a.score ||
  b.claim.follow.length - a.claim.follow.length ||
  b.claim.key.length - a.claim.key.length ||
  (a.claim.key < b.claim.key ? -1 : 1);

/** A better one has most of its recoveries, or what the better ones together leave of them is too little for a lesson. */
function saysTheSame({ supports }: LearnedLesson, better: readonly LearnedLesson[]): boolean {
  const shares = better.map((one) => {
    const known = new Set(one.supports.map(({ of }) => of));
    return supports.filter(({ of }) => known.has(of));
  });
  const explained = new Set(shares.flat());
  const isSame = shares.some((own) => own.length >= SAME * supports.length);
  return isSame || !isEnough(supports.filter((one) => !explained.has(one)));
}

/** The first failure of each run by program and error; errors of one program that differ in few words are one family. */
function familiesOf(cases: readonly LearnedCase[]): Map<string, LearnedCase[]> {
  const byKey = groupsOf(cases, ({ one }) => problemKey(one.failed));
  const families = new Map<string, LearnedCase[]>();
  const ranked = [...byKey].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  for (const [key, own] of ranked) {
    const leader = [...families.keys()].find((one) => isNear(one, key)) ?? key;
    const known = families.get(leader) ?? [];
    const runs = new Set(known.map(({ run }) => run));
    const first = own.filter(({ run }) => !runs.has(run) && runs.add(run));
    families.set(leader, [...known, ...first]);
  }
  return families;
}

function isNear(one: string, other: string): boolean {
  const [a, b] = [one.split(' '), other.split(' ')];
  if (a[0] !== b[0] || a.length !== b.length) return false;
  return a.filter((word, at) => word !== b[at]).length <= Math.floor((a.length - 1) / 5);
}

function remediesIn(families: ReadonlyMap<string, readonly LearnedCase[]>): Remedy[] {
  const seen = [...families].flatMap(([family, cases]) =>
    cases.flatMap((of) => {
      const first = new Map<string, Try>();
      for (const taken of of.one.tries.filter(({ worked }) => worked !== undefined))
        for (const feature of taken.features) if (!first.has(feature)) first.set(feature, taken);
      return [...first].map(([feature, taken]) => ({ feature, family, of, taken }));
    }),
  );
  return [...groupsOf(seen, ({ feature }) => feature)].flatMap(([feature, own]) => {
    // A literal change means the same after any failure, if nothing else was added; a variable or a step after its own.
    const isOfFamily = isStep(feature) || feature.includes('⟨');
    const byFamily = groupsOf(own, ({ family }) => family);
    const parts = groupsOf([...byFamily], ([family, one]) => (isOfFamily ? family : wordsAdded(one)));
    return [...parts.values()].flatMap((part) => remedyOf(feature, new Map(part)) ?? []);
  });
}

/** The words that all recoveries of a family added. */
const wordsAdded = (seen: readonly Seen[]): string =>
  shared(
    seen.filter(({ taken }) => taken.worked === true),
    ({ taken }) => taken.features,
  )
    .filter((one) => /^\+[^⟨]+$/.test(one))
    .sort()
    .join(' ');

function remedyOf(feature: string, byFamily: ReadonlyMap<string, readonly Seen[]>): Remedy | undefined {
  const failed: Seen[] = [];
  const kept = [...byFamily].flatMap(([family, seen]): [string, Seen[]][] => {
    const worked = seen.filter(({ taken }) => taken.worked === true);
    if (distinct(worked, ({ of }) => of.run) < LEAST || worked.length < LEAST_SHARE * seen.length) return [];
    failed.push(...seen.filter(({ taken }) => taken.worked === false));
    return [[family, worked]];
  });
  return supported(feature, new Map(kept), failed);
}

/** Undefined if too few runs, tasks or agents recovered by it. What their recoveries share besides belongs to it. */
function supported(
  feature: string,
  byFamily: ReadonlyMap<string, readonly Seen[]>,
  failed: readonly Seen[],
): Remedy | undefined {
  const supports = [...byFamily.values()].flat();
  if (!isEnough(supports)) return undefined;
  const change = shared(supports, ({ taken }) => taken.features).filter((one) => !isStep(one));
  const follow = [...new Set([feature, ...change])].sort().slice(0, MOST.features);
  return { feature, follow, byFamily, supports, failed };
}

/** The remedy by the recoveries that may be advised; undefined if these are too few. */
function advisable(remedy: Remedy, allowed: ReadonlySet<RefusedRemedy>): Remedy | undefined {
  const isFine = (refusal: RefusedRemedy | undefined): boolean => refusal === undefined || allowed.has(refusal);
  if (isFine(refusalOf(remedy))) return remedy;
  // One run that skipped a check besides, or changed more, says nothing against the others.
  const byFamily = new Map(
    [...remedy.byFamily].flatMap(([family, seen]) => {
      const own = seen.filter((one) => isFine(refusalOf({ ...remedy, supports: [one] })));
      return distinct(own, ({ of }) => of.run) < LEAST ? [] : [[family, own] as const];
    }),
  );
  const found = supported(remedy.feature, byFamily, remedy.failed);
  return found !== undefined && isFine(refusalOf(found)) ? found : undefined;
}

const stepOf = ({ feature }: Remedy): string | undefined => (isStep(feature) ? feature : undefined);

/** A variable that always stood for one value is none: the remedy with the value says it. */
const isLiteral = ({ feature, follow }: Remedy): boolean =>
  /^[-+].*⟨[era]⟩/.test(feature) &&
  follow.some((one) => one !== feature && one[0] === feature[0] && !one.includes('⟨') && /[A-Za-z]/.test(one));

/** Why a remedy is none. */
function refusalOf({ feature, follow, supports }: Remedy): RefusedRemedy | undefined {
  const recoveries = supports.map(({ of, taken }) => ({ one: of.one, taken }));
  const change = follow.filter((one) => !isStep(one));
  const refused = refusedRemedy(feature, change, recoveries, true);
  if (refused !== undefined) return refused;
  // To ask a database the same again with other names is the goal itself.
  const isSameAction = supports.every(({ of: { one }, taken }) => {
    const [tool, verb] = taken.steps.get(feature)?.tokens ?? [];
    return one.failed.program.includes(' ') && `${tool} ${verb}`.toLowerCase() === one.failed.program;
  });
  const names = feature.split(' ').slice(3);
  const isAnotherQuestion = names.filter((one) => /^[a-z]/.test(one) && !isKeyword(one)).length >= NAMES_OF_QUESTION;
  return isStep(feature) && isSameAction && !isAnotherQuestion ? 'names nothing to do' : undefined;
}

/**
 * True if a remedy leaves open what to put in a place, and most of its recoveries are distinguished by what stood there: then
 * each of those is a remedy of its own. The value of a named argument may stay open.
 */
function isSplit(remedy: Remedy, remedies: readonly Remedy[]): boolean {
  const { feature, follow, supports, byFamily } = remedy;
  const step = stepOf(remedy);
  // One odd run opens what others kept; of steps, those of the others are what splits it.
  const plain = step === undefined ? plainOf(supports, step) : [];
  const { parts } = generalise((plain.length > 0 ? plain : supports).map((one) => textsOf(one, step, true)));
  const [call = [], error = [], first = [], then = []] = parts;
  if (openPlaces(step === undefined ? then : first, [call, error]).length === 0) return false;
  const isNarrower = (other: Remedy): boolean =>
    other.supports.length < EXPLAINED * supports.length &&
    isStep(other.feature) === (step !== undefined) &&
    !other.feature.includes('⟨') &&
    [...other.byFamily.keys()].some((family) => byFamily.has(family)) &&
    (step === undefined ? follow.every((one) => other.follow.includes(one)) : other.feature.startsWith(`${feature} `));
  const covered = new Set(remedies.filter(isNarrower).flatMap((other) => other.supports.map(({ of }) => of)));
  return supports.filter(({ of }) => covered.has(of)).length >= EXPLAINED * supports.length;
}

/** True if it worked once and no longer does, and something else has worked since. */
function isOver(remedy: Remedy, remedies: readonly Remedy[]): boolean {
  const { supports, failed } = remedy;
  const [last = ''] = supports
    .map(({ of }) => of.finishedAt)
    .sort()
    .reverse();
  const runsSince = (seen: readonly Seen[]): number =>
    distinct(
      seen.filter(({ of }) => of.finishedAt > last),
      ({ of }) => of.run,
    );
  if (runsSince(failed) < LEAST) return false;
  return rivalsOf(remedy, remedies).some((other) => runsSince(other.supports) >= LEAST);
}

/** What else helped after the same failures. */
const rivalsOf = ({ follow, byFamily }: Remedy, remedies: readonly Remedy[]): Remedy[] =>
  remedies.filter(
    (other) => !asksForSame(other.follow, follow) && [...other.byFamily.keys()].some((family) => byFamily.has(family)),
  );

function lessonOf(
  remedy: Remedy,
  remedies: readonly Remedy[],
  families: ReadonlyMap<string, readonly LearnedCase[]>,
): Scored | undefined {
  const { feature, follow, supports, byFamily } = remedy;
  const rivals = rivalsOf(remedy, remedies)
    .map((other) => other.follow)
    .slice(0, MOST.rivals);
  const cases = [...byFamily.keys()].flatMap((family) => families.get(family) ?? []);
  const taught = tally(cases, (one) => follows(follow, one));
  const other = tally(cases, (one) => ![follow, ...rivals].some((rival) => follows(rival, one)));
  if (other.n >= FEWEST_OTHERS && taught.worked * other.n <= other.worked * taught.n) return undefined;
  const conditions = conditionsOf(byFamily, { families, step: stepOf(remedy), follow });
  if (conditions.length === 0) return undefined;
  const difference = taught.worked / Math.max(1, taught.n) - other.worked / Math.max(1, other.n);
  return {
    claim: { key: feature, follow: [...follow], rivals: rivals.map((one) => [...one]), conditions },
    supports,
    score: difference + supports.length / 1_000,
  };
}

/** The first tries of the cases that are such, and how many of them worked. */
function tally(cases: readonly LearnedCase[], is: (one: Try) => boolean): { worked: number; n: number } {
  const tries = cases.flatMap(({ one }) => one.tries.find((tried) => tried.worked !== undefined && is(tried)) ?? []);
  return { worked: tries.filter(({ worked }) => worked).length, n: tries.length };
}
