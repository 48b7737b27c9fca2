/**
 * One way to recognise a secret, as data, so that a rule set kept elsewhere can join the table. A pattern is global and
 * has indices (flags `g` and `d`); any engine with `exec` and `lastIndex` will do. Every quantifier is bounded and none
 * nests, so that the cost grows with the length of the text only.
 */
export interface SecretRule {
  /** Lower-case letters, digits and hyphens: it is shown to reviewers and stands in the marker. */
  readonly id: string;
  /** In lower case; the pattern is tried only on a text that holds one of them. Empty: always. */
  readonly keywords: readonly string[];
  /** The secret is the first group that took part, or the whole match. */
  readonly pattern: RegExp;
  /** What a match has to be besides; absent: every match is a secret. */
  readonly accepts?: (secret: string) => boolean;
}
