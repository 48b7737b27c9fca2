import { groupsOf } from '../../platform/base/sum.js';
import { isHeadline } from '../calls/error-tokens.js';
import { isFlag } from '../calls/tokens.js';
import { type Generalised, generalise } from '../patterns/generalise.js';
import { isAny, itemText, literals, matchesOf, variablesOf } from '../patterns/matching.js';
import type { Condition, Pattern } from '../patterns/pattern.schema.js';
import { type Hunk, hunksOf } from '../recoveries/alignment.js';
import { follows } from './claim.js';
import { distinct, isEnough, LEAST, type LearnedCase, type Seen, shared, textsOf } from './learned-case.js';

/** As many different values say that any other would do. */
const MANY_VALUES = 4;
const MOST = { conditions: 8, values: 20, said: 60 } as const;

/** Where the conditions of a remedy come from: all failures by family, its step if it is one, and its features. */
interface ConditionsOf {
  readonly families: ReadonlyMap<string, readonly LearnedCase[]>;
  readonly step: string | undefined;
  readonly follow: readonly string[];
}

/** The conditions under which a remedy applies, one for each family of its recoveries that says when; the best supported first. */
export const conditionsOf = (
  byFamily: ReadonlyMap<string, readonly Seen[]>,
  { families, step, follow }: ConditionsOf,
): Condition[] =>
  [...byFamily]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([family, seen]) => {
      const counters = (families.get(family) ?? []).filter((one) => isCounter(one, follow));
      const all = { one: conditionOf(seen, step, counters), seen };
      const plain = openIn(all.one) > 0 ? plainOf(seen, step) : [];
      const narrow = plain.length > 0 ? { one: conditionOf(plain, step, counters), seen: plain } : all;
      return openIn(narrow.one) < openIn(all.one) ? narrow : all;
    })
    .filter((of) => keepsTheSame(of.one, of.seen))
    .map(({ one }) => one)
    .filter((one) => literals(one.step ?? one.remedy).length > 0 || isRest(one))
    .filter(
      (one) =>
        !asksForAnyOther(one, follow) && !leavesOpen(one) && !isAnywhere(one) && !isHeadline(literals(one.error)),
    )
    .slice(0, MOST.conditions);

/** A failure that something else ended, and not this remedy. */
const isCounter = ({ one: { tries } }: LearnedCase, follow: readonly string[]): boolean =>
  tries.some(({ worked }) => worked === true) && !tries.some((one) => one.worked === true && follows(follow, one));

function conditionOf(supports: readonly Seen[], step: string | undefined, counters: readonly LearnedCase[]): Condition {
  const whole = supports.map((one) => textsOf(one, step, false));
  const [apart, inside] = [generalise(whole), generalise(supports.map((one) => textsOf(one, step, true)))];
  // Pieces of tokens that are no variables of a pattern would match no case.
  const isFit = gapsIn(inside) <= gapsIn(apart) && whole.every((texts) => matchesOf(inside.parts, texts) !== undefined);
  const { parts, values } = isFit ? inside : apart;
  const [call = [], error = [], first = [], remedy = []] = parts;
  const bound = [first, remedy].flatMap(variablesOf);
  const seen = (name: string): string[] => [...new Set(values.get(name) ?? [])].sort().slice(0, MOST.values);
  const closed: Record<string, string[]> = {};
  // A list of words, such as the rest of a line, is no value that tells one failure from another.
  const lists = [call, error].flat().flatMap((item) => (isAny(item) ? item.any : []));
  for (const [name, value] of valuesOfOthers(counters, [call, error]))
    if (![...bound, ...lists].includes(name) && values.get(name)?.includes(value) === false) closed[name] = seen(name);
  // What a constant took the place of was it with the few values that were seen.
  const own = variablesOf(call);
  if (step === undefined && variablesOf(remedy).every((name) => own.includes(name)))
    for (const name of own) if (!bound.includes(name) && seen(name).length < MANY_VALUES) closed[name] ??= seen(name);
  const [one] = supports;
  const said = shared(supports, ({ of }) => of.one.failed.said);
  return {
    tool: one?.of.one.failed.tool ?? 'shell',
    call: [...call],
    error: [...error],
    ...(step === undefined ? {} : { step: [...first] }),
    remedy: [...remedy],
    values: Object.fromEntries([...values.keys()].map((name) => [name, seen(name)])),
    closed,
    said: said.sort().slice(0, MOST.said),
  };
}

/** Variables of step and remedy that the failure does not hold: what to put there is not said. */
function openIn({ call, error, step = [], remedy }: Condition): number {
  const known = heldBy([call, error]);
  return new Set([step, remedy].flatMap(variablesOf).filter((name) => !known.includes(name))).size;
}

/** Runs that kept what others left out of the call, in a place that stays open, did not do one thing. */
function keepsTheSame({ call, error, remedy }: Condition, seen: readonly Seen[]): boolean {
  const known = heldBy([call, error]);
  if (!remedy.some((item) => isAny(item) && !known.includes(item.any))) return true;
  return literals(call).every((token) => {
    const kept = seen.filter(({ taken }) => taken.call.tokens.includes(token)).length;
    return kept === 0 || kept === seen.length;
  });
}

/** A new word of the remedy took the place of something in an open place: nothing says of what. */
function isAnywhere({ step, call, remedy }: Condition): boolean {
  const [from, to] = [call.map(itemText), remedy.map(itemText)];
  const places = new Set([...call, ...remedy].filter(isAny).map(itemText));
  return (
    step === undefined &&
    hunksOf(from, to).some(({ removed, added }) => {
      const first = added.findIndex((one) => !places.has(one));
      const isOpen = removed.length > 0 && removed.every((one) => places.has(one));
      return first > 0 || (first === 0 && isOpen);
    })
  );
}

/** The same call with any other value, and not only without its quotation marks. */
const asksForAnyOther = (one: Condition, follow: readonly string[]): boolean =>
  one.step === undefined &&
  openIn(one) > 0 &&
  literals(one.remedy).join(' ') === literals(one.call).join(' ') &&
  !follow.includes('-"⟨a⟩"');

/**
 * The remedy puts a value into the call that neither the call nor the error names: `cd <path>`. The value of an option may
 * be any.
 */
const leavesOpen = ({ step, call, error, remedy }: Condition): boolean =>
  step === undefined &&
  openPlaces(remedy, [call, error]).some(
    ({ item, before }) => typeof item === 'object' && 'one' in item && !(typeof before === 'string' && isFlag(before)),
  );

/** The variables of a pattern that the failure does not hold, each behind what stands before it, but for named arguments. */
export function openPlaces(pattern: Pattern, failure: readonly Pattern[]) {
  const known = heldBy(failure);
  return pattern.flatMap((item, at) => {
    const before = pattern[at - 1];
    const isNamed = typeof before === 'string' && before.endsWith('=');
    return !isNamed && variablesOf([item]).some((name) => !known.includes(name)) ? [{ item, before }] : [];
  });
}

const heldBy = (failure: readonly Pattern[]): string[] => failure.flatMap(variablesOf);

/** The recoveries with the most common change of the call, if they are at least half: one odd run opens what others kept. */
export function plainOf(seen: readonly Seen[], step: string | undefined): readonly Seen[] {
  const byChange = groupsOf(seen, ({ of, taken }) => {
    const { tokens } = of.one.failed;
    const first = step === undefined ? [] : (taken.steps.get(step)?.tokens ?? []);
    const does = first.map((token, at) => (at > 0 && tokens.includes(token) ? '⟨f⟩' : token));
    // What stands behind the last value of the call is more of the same: from which line a file was read.
    if (does.includes('⟨f⟩')) does.length = does.lastIndexOf('⟨f⟩') + 1;
    return JSON.stringify([hunksOf(tokens, taken.call.tokens).map(formOf), does]);
  });
  const [plain = []] = [...byChange.values()].sort((a, b) => b.length - a.length);
  return 2 * plain.length >= seen.length && isEnough(plain) ? plain : [];
}

/** A change with what a word kept as a variable: `teachers` to `teacher` as `⟨a⟩s` to `⟨a⟩`. */
const formOf = ({ removed, added }: Hunk): string[][] => [withoutKept(removed, added), withoutKept(added, removed)];

const withoutKept = (tokens: readonly string[], others: readonly string[]): string[] =>
  tokens.map((token) => {
    const kept = others
      .flatMap((other) => (token.includes(other) ? [other] : other.includes(token) ? [token] : []))
      .find((one) => one.length >= 3 && !others.includes(token));
    return kept === undefined ? token : token.replace(kept, '⟨a⟩');
  });

/** The remedy is any part of the failed line: what stood in front is left out. */
const isRest = ({ call, remedy, step }: Condition): boolean =>
  step === undefined &&
  literals(call).length > 0 &&
  variablesOf(remedy).every((name) => variablesOf(call).includes(name));

const gapsIn = ({ parts }: Generalised): number => parts.flat().filter(isAny).length;

/** Values of variables with which two runs were ended by one thing that is not this remedy. */
function valuesOfOthers(counters: readonly LearnedCase[], patterns: readonly Pattern[]) {
  const seen = counters.flatMap(({ one, run }) => {
    const features = one.tries.find(({ worked }) => worked === true)?.features ?? [];
    const ends = [...features].filter((feature) => SAYS_SOMETHING.test(feature));
    const found = matchesOf(patterns, [one.failed.tokens, one.failed.error]) ?? [];
    return [...found].flatMap((value) => ends.map((end) => ({ value, end, run })));
  });
  return [...groupsOf(seen, ({ value, end }) => JSON.stringify([value, end])).values()]
    .filter((own) => distinct(own, ({ run }) => run) >= LEAST)
    .flatMap(([first]) => (first ? [first.value] : []));
}

const SAYS_SOMETHING = /^\+[^⟨]*[A-Za-z]|^step \S+ \S/;
