import { type Finding, toFindings } from '../../untrusted/text/finding.js';

/** What was redacted in several texts, as one list. */
export function sumOfFindings(...lists: readonly (readonly Finding[])[]): Finding[] {
  const counts = new Map<string, number>();
  for (const { rule, count } of lists.flat()) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return toFindings(counts);
}
