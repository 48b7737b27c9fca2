import { FamilyIndex } from '../../src/evolve/evidence/family-index.js';
import { CYCLE_DEFAULTS, finishCycle, ReportedReader } from '../../test/support/cycles.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';

/**
 * The templates of the failures that a cycle over all of these executions lists as unsolved: nothing that was tried
 * overcame them. Used only to judge the advice, never to give it.
 */
export function unsolvedTemplates(executions: readonly ObservedExecution[]): ReadonlySet<string> {
  const reader = new ReportedReader();
  const index = new FamilyIndex();
  for (const { execution, observed } of executions) {
    reader.add(execution);
    index.add(observed);
  }
  const { unsolved } = finishCycle(
    reader,
    { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] },
    CYCLE_DEFAULTS,
  );
  const prints = new Set(unsolved.map(({ fingerprint }) => fingerprint));
  return new Set(
    index.families().flatMap(({ fingerprint, templates }) => (prints.has(fingerprint) ? [...templates] : [])),
  );
}
