import type { Matcher, Matchers } from '../../evidence/predicate/predicate.schema.js';

/** One matcher or several, as a list. */
export const matcherList = (matchers: Matchers | undefined): Matcher[] =>
  matchers === undefined ? [] : Array.isArray(matchers) ? [...matchers] : [matchers as Matcher];
