import { FamilyIndex } from '../../src/evolve/evidence/family-index.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { windowFindings } from '../../src/evolve/examination/window-examination.js';
import { Counts } from '../../src/evolve/support/counts.js';
import { CYCLE_DEFAULTS, readFromMemory } from '../../test/support/cycles.js';
import type { ExaminedFamily } from './examined.js';

/** What the product finds in the executions of a window, with default settings. */
export function examinedFamilies(executions: readonly RecordedExecution[]): readonly ExaminedFamily[] {
  const index = new FamilyIndex();
  const judged = new Counts();
  const byId = new Map(executions.map((one) => [one.id, one.source]));
  for (const { source } of executions) {
    if (!index.add(source.observed) || !source.observed.judged) continue;
    judged.set(index.ledger.numberOf(source.observed.executionId) ?? 0, 1);
  }
  const enough = index
    .families()
    .filter(({ evidence }) =>
      evidence.hasAtLeast(CYCLE_DEFAULTS.minAgentsForPattern, CYCLE_DEFAULTS.minOwnersForPattern),
    );
  const window = { index, known: new Map(), judged };
  const findings = readFromMemory(windowFindings(window, enough, CYCLE_DEFAULTS), (id) => byId.get(id));
  const recorded = new Map(executions.map((one) => [one.id, one]));
  return findings.map((one) => {
    const read = one.read.flatMap((id) => recorded.get(id) ?? []);
    return { ...one, halves: halvesOf(read, { by: one.split }) };
  });
}
