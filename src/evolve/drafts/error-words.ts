import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { matcherList } from '../examination/matcher-list.js';
import { plainErrorClass, plainTemplate } from './plain-text.js';

/** The errors of a lesson in words. */
export interface ErrorWords {
  /** The most frequent first; may be empty. */
  readonly names: readonly string[];
  /** The number of errors that the figures count, if it is more than are named. */
  readonly of?: number;
  /** The figures count any failure; those that are named are examples. */
  readonly isAny?: true;
}

export interface ErrorInput {
  /** The error classes, the most frequent first, and the most frequent template of the first one. */
  readonly errorClasses: readonly string[];
  readonly template: string;
  /** The templates of further errors whose class says nothing. */
  readonly otherTemplates?: readonly string[];
  /** What the figures count. */
  readonly predicate?: Predicate;
}

const MOST_NAMES = 3;

/** Names the errors of a lesson, and says how many more its condition has: no more and no less than what was counted. */
export function errorWords({ errorClasses, template, otherTemplates = [], predicate }: ErrorInput): ErrorWords {
  const first = plainTemplate(template);
  const [own = '', ...others] = errorClasses.map(plainErrorClass);
  // The template of the first class says more than its name, and replaces it.
  const main = /[A-Za-z]{3}/.test(first) && !/cut off$/.test(first) ? first : own;
  const known = [main, ...others, ...otherTemplates.map(plainTemplate)].filter((name) => name !== '');
  const names = [...new Set(known)].slice(0, MOST_NAMES);
  const matchers = matcherList(predicate?.when ?? predicate?.covers);
  if (matchers.some(isAnyFailure)) return { names, isAny: true };
  const errors = new Set(matchers.map(({ error }) => error)).size;
  return errors > names.length ? { names, of: errors } : { names };
}

const isAnyFailure = ({ error }: Matcher): boolean => error === undefined;

/** `"a", "b" or another of 4 errors`. */
function quoted({ names, of }: ErrorWords): string {
  const texts = names.map((name) => `"${name}"`);
  if (of === undefined) return texts.join(' or ');
  return texts.length === 0 ? `one of ${of} errors` : `${texts.join(', ')} or another of ${of} errors`;
}

const says = ({ names, of }: ErrorWords): boolean => names.length > 0 || (of ?? 1) > 1;

const failedWith = (error: ErrorWords): string =>
  says(error) ? `failed${error.isAny ? ', for example' : ''} with ${quoted(error)}` : 'failed';

const endedIn = (error: ErrorWords): string =>
  says(error) && !error.isAny ? `ended in ${quoted(error)}` : failedWith(error);

export const orWhenItFailed = (error: ErrorWords): string => `, or when it has just ${endedIn(error)}`;

export const orHasFailed = (error: ErrorWords): string => `, or it has just ${failedWith(error)}`;

/** About a command that is named before, for a lesson that names a kind of error already. */
export const orHasJustFailed = (error: ErrorWords): string => (says(error) ? `, or has just ${failedWith(error)}` : '');

export const orHasJustEnded = (error: ErrorWords): string => (says(error) ? `, or has just ${endedIn(error)}` : '');
