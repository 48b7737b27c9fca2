import type { LinearPattern } from '../text/linear-pattern.js';
import { isPlaceholderValue } from './placeholder-values.js';

/**
 * One way to recognise a secret, as data. Rules from elsewhere use `LinearPattern`. Our own may use regular expressions
 * of the language (flags `g` and `d`) in which every quantifier is bounded and none nests, so that the cost grows
 * linearly with the text.
 */
export interface SecretRule {
  /** Lower-case letters, digits and hyphens. It is shown to reviewers and is part of the marker. */
  readonly id: string;
  /** Lower-case ASCII, at least one. The pattern is tried only near occurrences of a keyword. */
  readonly keywords: readonly string[];
  /** The secret is the first group that matched, or the whole match. */
  readonly pattern: RegExp | LinearPattern;
  /** A cheap pattern that occurs wherever `pattern` matches. If it does not match, `pattern` is not tried. */
  readonly requires?: RegExp;
  /** Further condition on a match. Without it, every match is a secret. */
  readonly accepts?: (secret: string, match: string) => boolean;
  /**
   * The number of characters before the keyword in which a match can begin, and after it in which a secret can begin.
   * The scan also covers the rest of the last run of non-blank characters.
   */
  readonly window?: { readonly before: number; readonly after: number };
}

/**
 * A rule by its keywords, separated by bars, and the characters before and after one in which it looks. Without
 * `accepts`, everything but a placeholder is a secret.
 */
export const place = (
  id: string,
  keywords: string,
  before: number,
  after: number,
  pattern: RegExp,
  accepts: SecretRule['accepts'] & {} = (value) => !isPlaceholderValue(value),
): SecretRule => ({ id, keywords: keywords.split('|'), window: { before, after }, pattern, accepts });
