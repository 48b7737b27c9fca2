import { wordPattern } from '../../evidence/predicate/pattern-text.js';
import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { actionSamples, WHOLE_SHARE } from './action-samples.js';
import { hasFailed, mayOnlyAdd, mayOnlyDrop, mayReplace } from './allowed-changes.js';
import { type CallFeature, featuresOf, idsOf, kindOf } from './call-features.js';
import { type Firing, mostFrequent } from './firing.js';
import { type Hypothesis, IS_SAME, type Sample } from './hypothesis.js';

/** A feature is a contrast if its shares in failed and in successful calls differ by this much. */
const MIN_DIFFERENCE = 0.2;
const MOST_OF_A_SIDE = 12;
const MOST_PAIRS = 12;
const MIN_PAIRED = 2;
interface Side {
  readonly feature: CallFeature;
  readonly difference: number;
}

/** What belongs to one program. */
const OWN: ReadonlySet<CallFeature['kind']> = new Set(['flag', 'setting', 'variable']);

/**
 * Forms of the same action: what failed calls hold and successful ones do not, and the other way round. One error may
 * come from several actions; what belongs to a program is then also looked for in the failures of each action alone.
 */
export function formHypotheses(sample: Sample, executions: readonly RecordedExecution[]): Hypothesis[] {
  return [
    ...formsOf(sample, executions),
    ...actionSamples(sample).flatMap((own) => formsOf(own, executions, ({ kind }) => OWN.has(kind))),
  ];
}

function formsOf(
  sample: Sample,
  executions: readonly RecordedExecution[],
  isMeant: (feature: CallFeature) => boolean = () => true,
): Hypothesis[] {
  const { first, minOrigins } = sample;
  const goals = new Set(first.map(({ failed }) => failed.goal));
  const failed = countFeatures(first.map(({ execution, failed: call }) => ({ execution, call })));
  const recovered = countFeatures(
    first.flatMap(({ execution, recovery }) => (recovery ? [{ execution, call: recovery }] : [])),
  );
  const elsewhere = countFeatures(firstSuccesses(executions, goals));
  const features = new Map([...failed.features, ...recovered.features, ...elsewhere.features]);
  const side = (sign: 1 | -1): Side[] =>
    withoutParts(
      [...features.values()].flatMap((feature): Side[] => {
        const inFailed = failed.share(feature.id);
        const gaps = [recovered, elsewhere]
          .filter(({ n }) => n >= 3)
          .map((one) => sign * (one.share(feature.id) - inFailed));
        const difference = Math.max(0, ...gaps);
        const origins =
          sign < 0
            ? failed.origins(feature.id)
            : Math.max(recovered.origins(feature.id), elsewhere.origins(feature.id));
        const isContrast = difference >= MIN_DIFFERENCE && origins >= minOrigins && isMeant(feature);
        return isContrast ? [{ feature, difference }] : [];
      }),
    ).sort((a, b) => b.difference - a.difference || compareText(a.feature.id, b.feature.id));
  const good = side(1);
  const bad = side(-1);
  return [
    ...pairs(
      first,
      new Set(good.map(({ feature }) => feature.id)),
      new Set(bad.map(({ feature }) => feature.id)),
      features,
    )
      .filter(([to, out]) => mayReplace(to, out, sample) && (out.kind !== 'program' || hasFailed(out, first)))
      .map(([to, out]) => formOf(sample, to, out)),
    ...bad
      .filter(({ feature }) => mayOnlyDrop(feature, sample))
      .slice(0, MOST_OF_A_SIDE)
      .map(({ feature }) => formOf(sample, undefined, feature)),
    ...good
      .filter(({ feature }) => mayOnlyAdd(feature, sample))
      .slice(0, MOST_OF_A_SIDE)
      .map(({ feature }) => formOf(sample, feature, undefined)),
  ];
}

/** Without the flag or the key of a setting that makes the same difference as a whole. */
function withoutParts(sides: readonly Side[]): Side[] {
  const settings = sides.filter(({ feature }) => feature.kind === 'setting');
  const isPart = ({ feature, difference }: Side): boolean =>
    /^(?:flag|setting)$/.test(feature.kind) &&
    settings.some(
      ({ feature: whole, difference: own }) =>
        own >= difference && [' ', '='].some((sign) => whole.name.startsWith(feature.name + sign)),
    );
  return sides.filter((one) => !isPart(one));
}

/** The first successful call of each execution with one of the goals. */
function firstSuccesses(executions: readonly RecordedExecution[], goals: ReadonlySet<string>) {
  return executions.flatMap((execution) => {
    const call = execution.calls.find(({ ok, goal }) => ok === true && goals.has(goal));
    return call ? [{ execution, call }] : [];
  });
}

interface FeatureCounts {
  readonly n: number;
  readonly features: ReadonlyMap<string, CallFeature>;
  share(id: string): number;
  origins(id: string): number;
}

function countFeatures(calls: readonly { execution: RecordedExecution; call: RecordedCall }[]): FeatureCounts {
  const features = new Map<string, CallFeature>();
  const seen = new Map<string, { n: number; origins: Set<string> }>();
  for (const { execution, call } of calls)
    for (const feature of featuresOf(call)) {
      features.set(feature.id, feature);
      const known = seen.get(feature.id) ?? { n: 0, origins: new Set() };
      seen.set(feature.id, { n: known.n + 1, origins: known.origins.add(execution.origin) });
    }
  const n = calls.length;
  return {
    n,
    features,
    share: (id) => (n === 0 ? 0 : (seen.get(id)?.n ?? 0) / n),
    origins: (id) => seen.get(id)?.origins.size ?? 0,
  };
}

/** What took the place of what, in at least two executions. */
function pairs(
  first: readonly Firing[],
  good: ReadonlySet<string>,
  bad: ReadonlySet<string>,
  features: ReadonlyMap<string, CallFeature>,
): [CallFeature, CallFeature][] {
  const found = first.flatMap(({ failed, recovery }) => {
    if (!recovery) return [];
    const [before, after] = [idsOf(failed), idsOf(recovery)];
    const gone = [...before].filter((id) => bad.has(id) && !after.has(id));
    const come = [...after].filter((id) => (good.has(id) || kindOf(id) === 'program') && !before.has(id));
    return gone.flatMap((out) => come.flatMap((to) => (kindOf(out) === kindOf(to) ? [JSON.stringify([to, out])] : [])));
  });
  return mostFrequent(found)
    .filter(([, n]) => n >= MIN_PAIRED)
    .slice(0, MOST_PAIRS)
    .flatMap(([key]) => {
      const [to, out] = (JSON.parse(key) as [string, string]).map((id) => features.get(id));
      return to && out ? [[to, out] as [CallFeature, CallFeature]] : [];
    });
}

function formOf(
  { when, first, conditionOf }: Sample,
  to: CallFeature | undefined,
  out: CallFeature | undefined,
): Hypothesis {
  const changed = [to, out].flatMap((feature) => feature ?? []);
  const [failing] = mostFrequent(first.flatMap(({ failed }) => failed.failure?.action ?? []));
  const isClear = changed.every(({ kind }) => CLEAR.has(kind));
  const isPlace = changed.some(({ id, kind }) => kind === 'folder' || /^step (?:cd|pushd)$/.test(id));
  return {
    kind: 'form',
    how: isPlace ? 'relocate' : to ? 'replace' : 'omit',
    action: isPlace ? (when[0]?.tool?.split('|')[0] ?? '') : (to?.name ?? out?.name ?? failing?.[0] ?? ''),
    taught: to ? [to.name] : [],
    avoided: out ? [out.name] : [],
    predicate: { when: narrowed(when, out, first, conditionOf), ...followOf(mainAction(when, first), when, to, out) },
    context: isClear ? '' : (mostFrequent(first.map(({ failed }) => failed.goal))[0]?.[0] ?? ''),
  };
}

/** Names that mean the same after every command. */
const CLEAR: ReadonlySet<CallFeature['kind']> = new Set(['program', 'step', 'folder', 'variable', 'mark']);

/**
 * The tries that follow and those that do not. First calls can be compared from the start of an execution only if both
 * sides are the same action: calls of one tool, of one action, or of one program in the place of another. Otherwise the
 * tests compare with the failed call.
 */
function followOf(
  action: string | undefined,
  when: readonly Matcher[],
  to: CallFeature | undefined,
  out: CallFeature | undefined,
): Pick<Predicate, 'follow' | 'against'> {
  const [{ tool = '' }] = [when[0] ?? {}];
  const names = [to, out].flatMap((feature) => feature?.name ?? []);
  const isTool = tool !== '' && tool !== 'shell' && !tool.includes('|');
  const isProgram = to?.kind === 'program' && out?.kind === 'program';
  const isAction = action !== undefined && !names.some((name) => name === action || action.startsWith(`${name} `));
  if (!isTool && !isProgram && !isAction) {
    const patterns = { ...(to ? { adds: patternOf(to) } : {}), ...(out ? { drops: patternOf(out) } : {}) };
    return { follow: { ...IS_SAME, ...patterns }, against: { ...IS_SAME, ...(out ? out.test : to ? lacks(to) : {}) } };
  }
  const base: Matcher = { tool, ...(isTool || isProgram || action === undefined ? {} : { action }), ...IS_SAME };
  return {
    follow: { ...base, ...(to ? to.test : {}), ...(out ? lacks(out) : {}) },
    against: { ...base, ...(out ? out.test : to ? lacks(to) : {}) },
  };
}

/** The action of the condition, unless most of the calls only hold it as a step before what they are for. */
function mainAction(when: readonly Matcher[], first: readonly Firing[]): string | undefined {
  const action = when[0]?.action;
  const main = first.filter(({ failed }) => [...failed.actions][0] === action);
  return main.length >= WHOLE_SHARE * first.length ? action : undefined;
}

const patternOf = ({ test }: CallFeature): string => ('action' in test ? wordPattern(test.action) : test.args);

/** If only a part of the failures have what is avoided, the candidate is about that part. */
function narrowed(
  when: readonly Matcher[],
  out: CallFeature | undefined,
  first: readonly Firing[],
  conditionOf: Sample['conditionOf'],
): Matcher[] {
  if (!out) return [...when];
  const having = first.filter(({ failed }) => idsOf(failed).has(out.id));
  if (having.length >= WHOLE_SHARE * first.length) return [...when];
  return conditionOf(having).map((one) => ({ ...one, ...out.test }));
}

const lacks = ({ test }: CallFeature): Matcher =>
  'action' in test ? { notAction: test.action } : { notArgs: test.args };
