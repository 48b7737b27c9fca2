import type { LinearPattern } from '../text/linear-pattern.js';

/**
 * One way to recognise a secret, as data. Patterns from elsewhere are `LinearPattern`s. Our own may be regular
 * expressions of the language (flags `g` and `d`): every quantifier in them is bounded and none nests, so that the cost
 * grows with the length of the text only.
 */
export interface SecretRule {
  /** Lower-case letters, digits and hyphens: it is shown to reviewers and stands in the marker. */
  readonly id: string;
  /** ASCII in lower case, at least one; the pattern is tried only around places where one of them stands. */
  readonly keywords: readonly string[];
  /** The secret is the first group that took part, or the whole match. */
  readonly pattern: RegExp | LinearPattern;
  /** Cheap to look for, and there wherever the pattern matches: without it, the pattern is not tried. */
  readonly requires?: RegExp;
  /** What a match has to be besides; absent: every match is a secret. */
  readonly accepts?: (secret: string, match: string) => boolean;
  /** How far before the keyword a match can begin, and after it a secret can begin; the rest of its line or run follows. */
  readonly window?: { readonly before: number; readonly after: number };
}
