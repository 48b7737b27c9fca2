import { WITHHELD_OUTPUT } from '../../capture/errors/error-text.js';
import { isPrinter } from '../../capture/errors/text-source.js';
import { compilePattern } from '../../evidence/predicate/pattern.js';
import type { Matcher } from '../../evidence/predicate/predicate.schema.js';
import type { Family } from '../evidence/candidate.js';
import { sharedPattern, templatePattern, valuePatterns } from './error-pattern.js';
import { type Firing, mostFrequent } from './firing.js';

/** An action belongs to the condition if so many of the failures blame it. */
const BLAMED_SHARE = 0.8;
/** A template of fewer failures is left out, and at most so many are named. */
const TEMPLATE_SHARE = 0.02;
const MOST_ERRORS = 6;
const MATCHED_SHARE = 0.6;
/**
 * The failed call that a candidate is about: its tool, its action if most failures blame one, and its error. Empty if the
 * errors share no text that could tell them from others: a call that failed and said nothing may have given an answer.
 */
export function conditionOf({ value }: Pick<Family, 'value'>, firings: readonly Firing[]): Matcher[] {
  const tools = mostFrequent(firings.map(({ failed }) => failed.tool));
  const tool = tools
    .filter(([, n]) => n >= TEMPLATE_SHARE * firings.length)
    .slice(0, 5)
    .map(([name]) => name.replace(/[^\w.:-]/g, '.'))
    .join('|');
  const [blamed] = mostFrequent(firings.flatMap(({ failed }) => failed.failure?.action ?? []));
  const action = blamed && blamed[1] >= BLAMED_SHARE * firings.length && blamed[0] !== tool ? blamed[0] : undefined;
  const base: Matcher = { tool, ...(action === undefined ? {} : { action }) };
  const program = (blamed?.[0].split(' ')[0] ?? '').split('/').at(-1) ?? '';
  // A program that prints files fails without a word of its own: what is withheld is what it printed.
  const isSilent = isPrinter(program) && firings.every(({ failed }) => failed.error === WITHHELD_OUTPUT);
  const errors = isSilent ? [] : errorPatterns(firings, value);
  return errors.map((error) => ({ ...base, error }));
}

/** One pattern for each frequent template, without those that another one covers. */
function errorPatterns(firings: readonly Firing[], value: string | undefined): string[] {
  const byTemplate = new Map<string, string[]>();
  for (const { failed } of firings) {
    const template = failed.failure?.template ?? '';
    byTemplate.set(template, [...(byTemplate.get(template) ?? []), failed.error]);
  }
  const frequent = mostFrequent(firings.map(({ failed }) => failed.failure?.template ?? ''))
    .filter(([, n], at) => at === 0 || n >= TEMPLATE_SHARE * firings.length)
    .slice(0, MOST_ERRORS);
  const patterns = frequent.flatMap(([template]) => {
    const errors = byTemplate.get(template) ?? [];
    const candidates = [
      ...(value === undefined ? [] : valuePatterns(template, value)),
      templatePattern(template),
      sharedPattern(errors.filter((error) => error !== '')),
    ];
    return candidates.find((pattern) => pattern !== undefined && matchesMost(pattern, errors)) ?? [];
  });
  const distinct = [...new Set(patterns)];
  return distinct.filter((one) => !distinct.some((other) => other !== one && one.startsWith(other)));
}

function matchesMost(pattern: string, errors: readonly string[]): boolean {
  const expression = compilePattern(pattern);
  return errors.filter((error) => expression.test(error)).length >= MATCHED_SHARE * errors.length;
}
