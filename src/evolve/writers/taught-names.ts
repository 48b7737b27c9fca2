import { compilePattern, patternProblem } from '../../evidence/predicate/pattern.js';
import { alternativesOf, escapePattern, plainPattern, wordsOfPattern } from '../../evidence/predicate/pattern-text.js';
import type { Matchers, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { clip } from '../../untrusted/text/clip.js';
import type { Candidate } from '../evidence/candidate.js';
import { asList } from '../evidence/matched-calls.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { type CallFeature, featuresOf } from './call-features.js';
import type { ShownLesson } from './self-checks.js';

/**
 * What a predicate teaches, so that one lesson has one key in all families: the features in which its two calls differ and
 * that it tests; without an example, the texts of its patterns. `title`: the label of a lesson that no name says.
 */
export function candidateOf(predicate: Predicate, shown: ShownLesson | null, title: string): Candidate {
  const { follow, start, execution } = predicate;
  const named = hypothesisOf(predicate, shown);
  const isNamed = named.taught.length + named.avoided.length > 0;
  const one = isNamed ? named : { ...named, teaching: named.teaching ?? canonicalJson(follow ?? { start, execution }) };
  const { how, taught, avoided } = one;
  const action = one.action || toolOf(predicate);
  const label = clip(isNamed ? labelOf({ ...one, action }) : title, LONGEST_LABEL);
  return { key: keyOf(one), how, action, label, taught, avoided, predicate };
}

const LONGEST_LABEL = 80;

/** A lesson before anything was counted. */
interface Named {
  readonly kind: 'form' | 'step' | 'action' | 'value';
  readonly how: Candidate['how'];
  readonly action: string;
  readonly taught: readonly string[];
  readonly avoided: readonly string[];
  /** What it means apart from the failure, if the words alone are ambiguous. */
  readonly context: string;
  /** What it teaches, if its words do not say it. */
  readonly teaching?: string;
}

/** What it teaches apart from the failure. */
function keyOf({ kind, taught, avoided, context, teaching }: Named): string {
  const sorted = (names: readonly string[]): string[] => [...names].sort(compareText);
  return JSON.stringify(teaching === undefined ? [kind, sorted(taught), sorted(avoided), context] : [kind, teaching]);
}

/** The lesson as a table shows it. */
function labelOf({ how, action, taught, avoided }: Named): string {
  if (how === 'prepare') return `${action} first`;
  const [to, out] = [taught.join(', '), avoided.join(', ')];
  if (to === '') return `without ${out || action}`;
  return out === '' ? to : `${to} instead of ${out}`;
}

function hypothesisOf(predicate: Predicate, shown: ShownLesson | null): Named {
  const { follow, attempt } = predicate;
  if (!follow || !shown) return namedByPatterns(predicate);
  if (attempt) return stepOfExample(predicate, shown);
  const { before, after } = shown;
  return before.goal === after.goal ? formOfExample(predicate, shown) : actionOfExample(after);
}

/** A step before the same action. */
function stepOfExample({ follow }: Predicate, { before, steps, after }: ShownLesson): Named {
  const names = [...new Set(steps.filter((call) => call !== after).map(nameOf))];
  const taught = names.length > 0 ? names : namesIn(follow, POSITIVE);
  return { kind: 'step', how: 'prepare', action: taught[0] ?? '', taught, avoided: [], context: before.goal };
}

const actionOfExample = (after: RecordedCall): Named => ({
  kind: 'action',
  how: 'replace',
  action: nameOf(after),
  taught: [nameOf(after)],
  avoided: [],
  context: '',
});

/** The same action in another form. */
function formOfExample({ follow, against }: Predicate, { before, after }: ShownLesson): Named {
  const [had, has] = [featuresOf(before), featuresOf(after)];
  const taught = patternsOf(follow, POSITIVE);
  const avoided = [...patternsOf(follow, NEGATIVE), ...patternsOf(against, POSITIVE)];
  const blamed = new Set(before.error.toLowerCase().split(/[^\w-]+/));
  const isBlamed = (name: string, test: 'errorValueInArgs' | 'errorValueNotInArgs'): boolean =>
    blamed.has(name.toLowerCase()) && asList(follow ?? []).some((one) => one[test] !== undefined);
  const come = has.filter(
    ({ id, name }) =>
      !had.some((one) => one.id === id) && (isTested(name, after, taught) || isBlamed(name, 'errorValueInArgs')),
  );
  const gone = had.filter(
    ({ id, name }) =>
      !has.some((one) => one.id === id) && (isTested(name, before, avoided) || isBlamed(name, 'errorValueNotInArgs')),
  );
  const pair = come.flatMap((to) => gone.filter(({ kind }) => kind === to.kind).map((out) => ({ to, out })))[0];
  const { to, out } = pair ?? { to: come[0], out: come[0] ? replacedBy(come[0], had, has) : gone[0] };
  if (!to && !out) return formOfPatterns(taught, avoided, before, after);
  const changed = [to, out].flatMap((one) => one ?? []);
  const isPlace = changed.some(({ id, kind }) => kind === 'folder' || /^step (?:cd|pushd)$/.test(id));
  return {
    kind: 'form',
    how: isPlace ? 'relocate' : to ? 'replace' : 'omit',
    action: isPlace ? after.tool : (to?.name ?? out?.name ?? ''),
    taught: to ? [to.name] : [],
    avoided: out ? [out.name] : [],
    context: changed.every(({ kind }) => CLEAR.has(kind)) ? '' : before.goal,
  };
}

/** What the one stands in the place of, if no test says: the only other of its kind. */
function replacedBy(
  { kind }: CallFeature,
  had: readonly CallFeature[],
  has: readonly CallFeature[],
): CallFeature | undefined {
  const gone = had.filter((one) => one.kind === kind && !has.some(({ id }) => id === one.id));
  return PAIRED.has(kind) && gone.length === 1 ? gone[0] : undefined;
}

const PAIRED: ReadonlySet<CallFeature['kind']> = new Set(['program', 'key', 'flag', 'setting']);

/** Names that mean the same after every command. */
const CLEAR: ReadonlySet<CallFeature['kind']> = new Set(['program', 'step', 'folder', 'variable', 'mark']);

/** Of the words in the patterns those that only one of the two calls has. */
function formOfPatterns(
  to: readonly string[],
  out: readonly string[],
  before: RecordedCall,
  after: RecordedCall,
): Named {
  const only = (patterns: readonly string[], own: RecordedCall, other: RecordedCall): string[] =>
    [...new Set(patterns.flatMap(textsOf).map((text) => text.trim()))]
      .filter((text) => holds(own, text) && !holds(other, text))
      .slice(0, MOST_NAMES);
  const [taught, avoided] = [only(to, after, before), only(out, before, after)];
  const how = taught.length === 0 && avoided.length > 0 ? 'omit' : 'replace';
  return { kind: 'form', how, action: nameOf(after), taught, avoided, context: before.goal };
}

const holds = ({ text }: RecordedCall, name: string): boolean => text.toLowerCase().includes(name.toLowerCase());

function namedByPatterns({ follow, attempt, start, execution, when }: Predicate): Named {
  const did = follow ?? start?.prior ?? start?.form ?? execution?.first ?? execution?.did;
  const failing = toolOf({ when: when ?? start?.action ?? execution?.before });
  const taught = namesIn(did, POSITIVE, failing);
  const avoided = taught.length > 0 ? [] : namesIn(did, NEGATIVE);
  const named = { taught, avoided, action: taught[0] ?? avoided[0] ?? '' };
  if (follow) {
    if (attempt) return { ...named, kind: 'step', how: 'prepare', context: '' };
    return { ...named, kind: 'form', how: taught.length > 0 ? 'replace' : 'omit', context: failing };
  }
  const context = canonicalJson(start?.action ?? execution?.before ?? execution?.after ?? when ?? []);
  const isForm = start?.form !== undefined && start.prior === undefined;
  return isForm
    ? { ...named, kind: 'form', how: 'replace', context }
    : { ...named, kind: 'step', how: 'precede', context };
}

/** The first tool that a predicate names; a shell, if it names none. */
function toolOf({ when, follow, start, execution }: Predicate): string {
  const all = [when, follow, start?.action, execution?.before, execution?.did].flatMap((one) => asList(one ?? []));
  const named = all
    .flatMap(({ tool }) => tool?.split('|')[0]?.replace(/[^\w.:-]/g, '') ?? [])
    .find((one) => one !== '');
  return named === undefined || isShellTool(named) ? 'shell' : named.toLowerCase();
}

type Tests = readonly ('action' | 'args' | 'adds' | 'notAction' | 'notArgs' | 'drops' | 'tool' | 'notTool')[];
const POSITIVE: Tests = ['action', 'args', 'adds'];
const NEGATIVE: Tests = ['notAction', 'notArgs', 'drops'];

/** The patterns of these tests; the name of an action stands for itself, escaped, and may then be too long for one. */
const patternsOf = (matchers: Matchers | undefined, tests: Tests): string[] =>
  (matchers === undefined ? [] : asList(matchers)).flatMap((one) =>
    tests.flatMap((test) => {
      const value = one[test];
      if (value === undefined) return [];
      return /action/i.test(test) ? escapePattern(value) : value;
    }),
  );

/** The texts that these tests stand for, otherwise the tools other than `known`; a pattern with operators names nothing. */
function namesIn(matchers: Matchers | undefined, tests: Tests, known = ''): string[] {
  const names = patternsOf(matchers, tests).flatMap(plainTextsOf);
  const tools = names.length > 0 ? [] : patternsOf(matchers, tests === POSITIVE ? ['tool'] : ['notTool']);
  const other = tools.flatMap(plainTextsOf).filter((name) => !isShellTool(name) && name.toLowerCase() !== known);
  return [...new Set([...names, ...other])].slice(0, MOST_NAMES);
}

const MOST_NAMES = 4;

function plainTextsOf(pattern: string): string[] {
  const parts = (alternativesOf(pattern) ?? [pattern]).map((one) => plainPattern(one)?.text);
  return parts.every((one) => one !== undefined) ? parts : [];
}

/** The texts that a pattern stands for, or the words in it. */
function textsOf(pattern: string): string[] {
  const plain = plainTextsOf(pattern);
  return plain.length > 0 ? plain : wordsOfPattern(pattern);
}

/** Whether a pattern matches the call because of this name. */
function isTested(name: string, { text }: RecordedCall, patterns: readonly string[]): boolean {
  const without = text.replaceAll(name, ' ').replaceAll(name.split(': ').at(-1) ?? name, ' ');
  return patterns
    .filter((pattern) => patternProblem(pattern) === undefined)
    .map(compilePattern)
    .some((one) => one.test(text) && !one.test(without));
}

/** As the observations name it: the command or statement, or the tool. */
const nameOf = ({ tool, actions }: RecordedCall): string => [...actions][0] ?? tool;
