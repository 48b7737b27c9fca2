import { type Redaction, toRedactions } from '../../untrusted/text/redaction.js';

/** Adds up the redactions of several texts by rule. */
export function sumRedactions(...lists: readonly (readonly Redaction[])[]): Redaction[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of lists.flat()) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return toRedactions(counts);
}
