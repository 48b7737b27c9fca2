import { compareText } from '../../platform/base/compare-text.js';

/** How often a rule found something. Never what it found: rule and count are stored and shown. */
export interface Redaction {
  readonly rule: string;
  readonly count: number;
}

/** Counts by rule as findings, in the order of the rules' names. */
export function toRedactions(counts: ReadonlyMap<string, number>): Redaction[] {
  return [...counts].map(([rule, count]) => ({ rule, count })).sort((a, b) => compareText(a.rule, b.rule));
}
