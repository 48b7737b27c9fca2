import { type CallForm, formsOf, type ObservedForm } from '../../evidence/calls/call-form.js';
import { argumentsOf, isInstance } from '../../evidence/calls/call-instance.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { LessonExample, ObservedCalls } from '../../evidence/parts/lesson-parts.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { escapeAngles } from '../../skills/document/markdown-code.js';
import type { Case } from './case.js';
import { isOfTemplate, usualError } from './case-errors.js';

/** A case in which the remedy worked. */
export type WorkedCase = Case & { readonly worked: ShownCall };

/** The calls of a lesson, in the form that most of its cases share. */
export interface CaseForms {
  readonly worked: ShownCall;
  readonly failed: ShownCall;
  readonly example?: LessonExample;
  readonly calls: ObservedCalls;
}

/** A value that fewer origins hold may be private to one of them. */
const ORIGINS_OF_PUBLIC = 2;
const MOST_CALLS = 40;

export const isWorked = (one: Case): one is WorkedCase => one.worked !== undefined;

/**
 * Returns the forms of the cases; undefined if no call that worked can be shown. Independent of the order of the cases.
 * `template`: the error that the example should have.
 */
export function caseFormsOf(all: readonly Case[], template = ''): CaseForms | undefined {
  const shown = all.map(withReadablePlaceholders);
  const cases = shown.filter(isWorked).sort((a, b) => compareText(keyOf(a), keyOf(b)));
  const known = publicWords(shown);
  const shared = sharedChanges(cases);
  const workedForm = shortestOfTypical(
    readableForms(formsOf(cases.map((one) => observed(one.worked, one, keptOf(one, known, shared))))),
  );
  const members = workedForm?.members.flatMap((at) => cases[at] ?? []) ?? [];
  const [failedForm] = readableForms(formsOf(members.map((one) => observed(one.failed, one, []))));
  if (!workedForm || !failedForm) return undefined;
  const steps = stepsOf(members);
  const typical = failedForm.members.flatMap((at) => members[at] ?? []);
  const pair = commonPair(cases);
  // the example shows the difference that the lesson teaches
  const teaches = ({ failed, worked }: WorkedCase): boolean =>
    pair !== undefined && pair.join(' ') === onlyDifference(failed, worked)?.join(' ');
  const paired = [typical, cases].map((some) => some.filter(teaches)).find((some) => some.length > 0) ?? [];
  const example = exampleOf(paired.length > 0 ? paired : typical, known, template);
  return {
    worked: workedForm.form,
    failed: failedForm.form,
    ...(example ? { example } : {}),
    calls: {
      worked: distinctCalls(
        [...members, ...cases].flatMap((one) => [...one.between, one.worked]),
        [
          workedForm.form,
          ...steps,
          ...(example ? [...example.between, ...(example.worked ? [example.worked] : [])] : []),
        ],
      ),
      failed: distinctCalls(
        [...typical, ...shown].map(({ failed }) => failed),
        [failedForm.form, ...(example ? [example.failed] : [])],
      ),
    },
  };
}

/** A placeholder whose name could open a frame around the skill is never shown, `<name>` stands in its place. */
const readable = ({ tool, call }: ShownCall): ShownCall => ({
  tool,
  call: call.replace(/<[a-z][a-z0-9 -]{0,29}>/g, (found) => (escapeAngles(found) === found ? found : '<name>')),
});

const readableForms = (forms: readonly CallForm[]): CallForm[] =>
  forms.map((one) => ({ ...one, form: readable(one.form) }));

function withReadablePlaceholders(one: Case): Case {
  return {
    ...one,
    failed: readable(one.failed),
    between: one.between.map(readable),
    ...(one.worked ? { worked: readable(one.worked) } : {}),
  };
}

const keyOf = ({ executionId, failed, worked }: WorkedCase): string => `${executionId} ${failed.call} ${worked.call}`;

const observed = (call: ShownCall, { origin, environment }: Case, kept: readonly string[]): ObservedForm => ({
  call,
  origin,
  kept,
  ...(environment.project ? { project: environment.project } : {}),
});

/** The difference of one word that at least a third of the cases and several origins share. */
function commonPair(cases: readonly WorkedCase[]): [string, string] | undefined {
  const found = new Map<string, { pair: [string, string]; origins: Set<string>; cases: number }>();
  for (const { failed, worked, origin } of cases) {
    const pair = onlyDifference(failed, worked);
    if (pair === undefined) continue;
    const key = JSON.stringify(pair);
    const known = found.get(key) ?? { pair, origins: new Set(), cases: 0 };
    found.set(key, { ...known, origins: known.origins.add(origin), cases: known.cases + 1 });
  }
  const [most] = [...found].sort((a, b) => b[1].cases - a[1].cases || compareText(a[0], b[0]));
  const [, { pair, origins, cases: agreeing }] = most ?? ['', { pair: undefined, origins: new Set(), cases: 0 }];
  return origins.size >= ORIGINS_OF_PUBLIC && 3 * agreeing >= cases.length ? pair : undefined;
}

/** The only word in which two command lines of the same length differ: before and after. Not a path. */
export function onlyDifference(failed: ShownCall, worked: ShownCall): [string, string] | undefined {
  if (failed.tool !== 'shell' || worked.tool !== 'shell') return undefined;
  const [before, after] = [wordsOfLine(failed.call), wordsOfLine(worked.call)];
  const differing = after.flatMap((word, at): [string, string][] =>
    word === before[at] ? [] : [[before[at] ?? '', word]],
  );
  const [pair] = differing;
  if (before.length !== after.length || differing.length !== 1 || pair === undefined) return undefined;
  return pair.every((word) => /^[\w./+=-]{1,60}$/.test(word) && !isPath(word)) ? pair : undefined;
}

/** Of the forms that at least half as many origins share as the most common one, the shortest. */
function shortestOfTypical(forms: readonly CallForm[]): CallForm | undefined {
  const [most] = forms;
  if (!most) return undefined;
  const typical = forms.filter(({ origins }) => 2 * origins >= most.origins && origins >= Math.min(2, most.origins));
  return typical.sort((a, b) => a.form.call.length - b.form.call.length || compareText(a.form.call, b.form.call))[0];
}

/** Words and values that several origins hold, so that they are names of no single project. */
export function publicWords(cases: readonly Case[]): ReadonlySet<string> {
  const holders = new Map<string, Set<string>>();
  for (const one of cases) {
    const holder = one.environment.project ?? one.origin;
    for (const call of [one.failed, ...one.between, ...(one.worked ? [one.worked] : [])])
      for (const word of valuesOf(call)) holders.set(word, (holders.get(word) ?? new Set()).add(holder));
  }
  return new Set([...holders].filter(([, by]) => by.size >= ORIGINS_OF_PUBLIC).map(([word]) => word));
}

const valuesOf = ({ tool, call }: ShownCall): string[] =>
  tool === 'shell' ? wordsOfLine(call) : [...(argumentsOf(call)?.values() ?? [])];

/** The changed values that several cases have. A value of one case differs between successes, unless it is the only one. */
function sharedChanges(cases: readonly WorkedCase[]): ReadonlySet<string> {
  const all = cases.flatMap(({ changed }) => [...new Set(changed)]);
  return new Set(cases.length === 1 ? all : all.filter((value, at) => all.indexOf(value) < at));
}

/** What tells the call that worked from the failed one: it stays in the form, unless it names something private. */
function keptOf(
  { failed, worked, changed }: WorkedCase,
  known: ReadonlySet<string>,
  shared: ReadonlySet<string>,
): string[] {
  const before = new Set(valuesOf(failed));
  const differing = valuesOf(worked).filter((word) => !before.has(word) && known.has(word) && !isPath(word));
  return [...changed.filter((value) => known.has(value) || (shared.has(value) && !isPath(value))), ...differing];
}

const isPath = (word: string): boolean => /\/|\w\.[A-Za-z]\w{0,7}$/.test(word);

/** The forms of the preparing calls, by their place; of the cases that have the usual number of them. */
function stepsOf(cases: readonly WorkedCase[]): ShownCall[] {
  const counts = new Map<number, number>();
  for (const { between } of cases) counts.set(between.length, (counts.get(between.length) ?? 0) + 1);
  const [usual] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0];
  const same = cases.filter(({ between }) => between.length === usual);
  const forms = Array.from({ length: usual }, (_, at) =>
    shortestOfTypical(
      readableForms(formsOf(same.flatMap((one) => (one.between[at] ? [observed(one.between[at], one, [])] : [])))),
    ),
  );
  // of several steps, those that most of the cases took
  const origins = new Set(same.map(({ origin }) => origin)).size;
  return forms.flatMap((form) => (form && (usual === 1 || 2 * form.origins >= origins) ? form.form : []));
}

/** The shortest case with the error of the lesson, without the names of its project. */
function exampleOf(
  cases: readonly WorkedCase[],
  known: ReadonlySet<string>,
  template: string,
): LessonExample | undefined {
  const length = ({ failed, worked, error }: WorkedCase): number =>
    failed.call.length + worked.call.length + error.length;
  const usual = cases.some(({ error }) => isOfTemplate(error, template)) ? template : (usualError(cases) ?? '');
  const isUsual = ({ error }: WorkedCase): number => (isOfTemplate(error, usual) ? 0 : 1);
  const [best] = cases
    .filter(({ error, failed, worked }) => error !== '' && failed.call !== worked.call)
    .concat(cases.filter(({ error, between }) => error !== '' && between.length > 0))
    .sort((a, b) => isUsual(a) - isUsual(b) || length(a) - length(b) || compareText(keyOf(a), keyOf(b)));
  if (!best) return undefined;
  const shown = (call: ShownCall): ShownCall | undefined =>
    readableForms(formsOf([{ call, origin: '', kept: valuesOf(call).filter((word) => known.has(word)) }]))[0]?.form;
  const [failed, worked] = [shown(best.failed), shown(best.worked)];
  if (!failed || !worked || (failed.call === worked.call && saysNothing(failed))) return undefined;
  return { failed, error: best.error, between: best.between.flatMap((call) => shown(call) ?? []), worked };
}

/** Returns whether only the names of the arguments can be shown. */
const saysNothing = ({ tool, call }: ShownCall): boolean =>
  tool !== 'shell' &&
  [...(argumentsOf(call)?.values() ?? [])].every((value) => /^(?:<[a-z][a-z0-9 -]{0,29}>)?$/.test(value));

/** Distinct calls; first, for each of the forms that are shown, a call that is an instance of it. */
function distinctCalls(calls: readonly ShownCall[], shown: readonly ShownCall[]): ShownCall[] {
  const instances = shown.flatMap((form) => calls.find((call) => isInstance(form, call)) ?? []);
  const all = [...instances, ...calls].map((call): [string, ShownCall] => [`${call.tool} ${call.call}`, call]);
  return [...new Map(all).values()].slice(0, MOST_CALLS);
}
