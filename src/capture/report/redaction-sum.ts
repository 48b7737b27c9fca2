import { type Redaction, toRedactions } from '../../untrusted/text/redaction.js';

/** What was redacted in several texts, as one list. */
export function sumRedactions(...lists: readonly (readonly Redaction[])[]): Redaction[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of lists.flat()) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return toRedactions(counts);
}
