import { compareText } from '../../platform/base/compare-text.js';

/** A rule and the number of texts it redacted, never the text itself: both are stored and shown. */
export interface Redaction {
  readonly rule: string;
  readonly count: number;
}

/** Returns counts by rule as redactions, sorted by the name of the rule. */
export function toRedactions(counts: ReadonlyMap<string, number>): Redaction[] {
  return [...counts].map(([rule, count]) => ({ rule, count })).sort((a, b) => compareText(a.rule, b.rule));
}
