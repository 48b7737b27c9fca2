import { FamilyIndex } from '../../src/evolve/evidence/family-index.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { windowFindings } from '../../src/evolve/examination/window-examination.js';
import { supportLevel } from '../../src/evolve/support/support-level.js';
import { CYCLE_DEFAULTS, readFromMemory } from '../../test/support/cycles.js';
import type { ExaminedFamily } from './examined.js';

/** What the product finds in the executions of a window, with default settings. */
export function examinedFamilies(executions: readonly RecordedExecution[]): readonly ExaminedFamily[] {
  const index = new FamilyIndex();
  const byId = new Map(executions.map((one) => [one.id, one.source]));
  for (const { source } of executions) index.add(source.observed);
  const level = supportLevel(index.ledger.countAgents(), CYCLE_DEFAULTS.minAgentsForPattern);
  const enough = index
    .families()
    .filter(({ evidence }) => evidence.isSupported(level, CYCLE_DEFAULTS.minOwnersForPattern));
  const findings = readFromMemory(windowFindings({ index, known: new Map() }, enough, {}), (id) => byId.get(id));
  const recorded = new Map(executions.map((one) => [one.id, one]));
  return findings.map((one) => {
    const read = one.read.flatMap((id) => recorded.get(id) ?? []);
    return { ...one, halves: halvesOf(read, { by: one.split }) };
  });
}
