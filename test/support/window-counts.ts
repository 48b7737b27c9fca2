import { usageKey } from '../../src/capture/observations/usage.js';
import type { CycleReader } from '../../src/evolve/window/cycle-reader.js';

/** All that a cycle reads of the counts of a window. */
export function countsOf({ index, tasks, excludedFailures }: CycleReader) {
  const { ledger } = index;
  const families = index.families().map((family) => {
    const { fingerprint, signature, templates, tools, actions, errorClasses, project } = family;
    const keys = tools.flatMap((tool) => actions.map((action) => usageKey(tool, action)));
    return {
      fingerprint,
      signature,
      tools,
      actions,
      errorClasses,
      project,
      templates: [...templates].sort(),
      fingerprints: [...family.fingerprints].sort(),
      evidence: family.evidence.counts(),
      byAction: [...(family.evidenceByAction ?? [])].map(([action, evidence]) => [action, evidence.counts()]).sort(),
      using: keys.map((key) => [key, ...index.controlsOf([key]).map((one) => ledger.executionId(one))]),
      uses: tools.flatMap((tool) => actions.map((action) => index.usingOf(tool, action))),
      sample: ledger.sampleOf(family.evidence.executionIds.numbers(), 50),
      isEnough: [1, 2, 3, 4].map((n) => family.evidence.isSupported({ unit: 'agents', needed: n }, n - 1)),
    };
  });
  return {
    executions: index.executions,
    families,
    excludedFailures: { ...excludedFailures },
    tasks: tasks.problems({ unit: 'agents', needed: 1 }, 1),
  };
}
