import { templateOf } from '../../capture/errors/error-template.js';
import { argumentsOf, isInstance } from '../../evidence/calls/call-instance.js';
import type { LessonExample, ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { countsOf } from '../../platform/base/sum.js';
import { escapeAngles } from '../../skills/document/markdown-code.js';
import { PublicValues } from '../dossiers/public-values.js';
import type { Case } from './case.js';

/** A case in which the remedy worked. */
export type WorkedCase = Case & { readonly worked: ShownCall };

/** What a lesson shows of its cases. */
interface ShownCases {
  readonly example?: LessonExample;
  /** The calls that its commands are instances of. */
  readonly calls: ObservedCalls;
}

const MOST_CALLS = 40;
/** So many cases are tried for an example. */
const MOST_TYPICAL = 10;

export const isWorked = (one: Case): one is WorkedCase => one.worked !== undefined;

/**
 * Returns what cases show; undefined if no call that worked can be shown. Independent of their order. `template`: the
 * error that the example should have; `words`: those of the remedy, which it should show as they are.
 */
export function shownCases(all: readonly Case[], template = '', words: readonly string[] = []): ShownCases | undefined {
  const cases = all.map(withReadablePlaceholders).sort((a, b) => compareText(keyOf(a), keyOf(b)));
  const worked = cases.filter(isWorked);
  if (worked.length === 0) return undefined;
  const typical = typicalCases(worked, template, words).slice(0, MOST_TYPICAL);
  const first = [...typical.slice(0, 1), ...worked];
  const values = publicValues(cases);
  values.publish(words);
  const [example] = typical.flatMap((one) => exampleOf(one, values) ?? []);
  return {
    ...(example ? { example } : {}),
    calls: {
      worked: distinctCalls(first.flatMap((one) => [...one.between, one.worked])),
      failed: distinctCalls([...first, ...cases].map(({ failed }) => failed)),
    },
  };
}

/** The values of the calls that several projects hold, so that they are names of no single one. */
export function publicValues(cases: readonly Case[]): PublicValues {
  const values = new PublicValues();
  for (const { environment, origin, failed, between, worked } of cases)
    values.read(environment.project ?? origin, [failed, ...between, ...(worked ? [worked] : [])].map(maskable));
  return values;
}

const maskable = ({ tool, call }: ShownCall) => ({ tool, text: call, goal: '', error: '' });

/** A placeholder whose name could open a frame around the skill is never shown, `<name>` stands in its place. */
const readable = ({ tool, call }: ShownCall): ShownCall => ({
  tool,
  call: call.replace(/<[a-z][a-z0-9 -]{0,29}>/g, (found) => (escapeAngles(found) === found ? found : '<name>')),
});

function withReadablePlaceholders(one: Case): Case {
  return {
    ...one,
    failed: readable(one.failed),
    between: one.between.map(readable),
    ...(one.worked ? { worked: readable(one.worked) } : {}),
  };
}

const keyOf = ({ failed, worked, between, error }: Case): string => JSON.stringify([failed, worked, between, error]);

/** The cases that show what the lesson says with its error, those with the fewest and shortest calls first. */
function typicalCases(cases: readonly WorkedCase[], template: string, words: readonly string[]): WorkedCase[] {
  const length = ({ failed, worked, error }: WorkedCase): number =>
    failed.call.length + worked.call.length + error.length;
  const usual = cases.some(({ error }) => isOfTemplate(error, template)) ? template : usualError(cases);
  const isUsual = ({ error }: WorkedCase): number => (isOfTemplate(error, usual) ? 0 : 1);
  const lacks = (one: WorkedCase): number => lackingWords(one, words).length;
  return cases
    .filter(({ error, failed, worked, between }) => error !== '' && (failed.call !== worked.call || between.length > 0))
    .sort(
      (a, b) =>
        isUsual(a) - isUsual(b) ||
        lacks(a) - lacks(b) ||
        a.between.length - b.between.length ||
        changeIn(a) - changeIn(b) ||
        length(a) - length(b) ||
        compareText(keyOf(a), keyOf(b)),
    );
}

/** The words of the call that worked which the failed one lacks: that of a typical case has the remedy alone. */
export function changeIn({ failed, worked }: WorkedCase): number {
  const known = new Set(failed.call.split(' '));
  return worked.call.split(' ').filter((word) => !known.has(word)).length;
}

/** The words that none of its calls shows as they are. */
export function lackingWords({ between, worked }: WorkedCase, words: readonly string[]): string[] {
  const shown = [...between, worked].map(({ tool, call }) => `${tool} ${call}`.toLowerCase()).join(' ');
  return words.filter((word) => !shown.includes(word.toLowerCase()));
}

/** The error that most of the cases have, without names and values. */
export function usualError(cases: readonly Pick<Case, 'error'>[]): string {
  const counts = countsOf(cases.flatMap(({ error }) => (error === '' ? [] : templateOf(error))));
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))[0]?.[0] ?? '';
}

/** Returns whether an error has this template; a report may hold more of the line than the other. */
function isOfTemplate(error: string, template: string): boolean {
  const own = templateOf(error);
  return own !== '' && template !== '' && (own.includes(template) || template.includes(own));
}

/** The case without the names of its project; undefined if nothing is left that shows the remedy, or not all of it. */
function exampleOf({ failed, error, between, worked }: WorkedCase, values: PublicValues): LessonExample | undefined {
  const shown = (call: ShownCall): ShownCall | undefined => {
    const masked = values.call(maskable(call), (_, shape) => shape);
    const form = masked && readable(masked);
    return form && isInstance(form, call) ? form : undefined;
  };
  const [before, after] = [shown(failed), shown(worked)];
  const steps = between.flatMap((call) => shown(call) ?? []);
  if (steps.length < between.length) return undefined;
  // What made the difference may be what is masked.
  const isSame = before?.call === after?.call && (steps.length === 0 || (before !== undefined && saysNothing(before)));
  return before && after && !isSame ? { failed: before, error, between: steps, worked: after } : undefined;
}

/** Returns whether only the names of the arguments can be shown. */
const saysNothing = ({ tool, call }: ShownCall): boolean =>
  tool !== 'shell' &&
  [...(argumentsOf(call)?.values() ?? [])].every((value) => /^(?:<[a-z][a-z0-9 -]{0,29}>)?$/.test(value));

const distinctCalls = (calls: readonly ShownCall[]): ShownCall[] =>
  [...new Map(calls.map((call) => [`${call.tool} ${call.call}`, call])).values()].slice(0, MOST_CALLS);
