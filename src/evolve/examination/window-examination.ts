import { usageKey } from '../../capture/observations/usage.js';
import { type Reading, TableCache } from '../cases/table-cache.js';
import type { Family } from '../evidence/candidate.js';
import type { FamilyIndex } from '../evidence/family-index.js';
import { rankFamilies } from '../evidence/family-rank.js';
import type { SupportUnit } from '../support/support.schema.js';
import { chanceOfEach, type ExaminationSettings, examineFamily, type FamilyFindings } from './family-examination.js';

/**
 * Executions that are read for a family: those with the failure, and those that used its actions as controls. `inCycle`:
 * those of all families that one cycle examines.
 */
const EXAMINED = { failing: 400, controls: 160, inCycle: 6_000 } as const;

/** What was found about a family, and the executions that were chosen for it then. */
interface KnownFamily {
  readonly sample: ReadonlySet<string>;
  /** The chance that a lesson of it could have. */
  readonly mostChance: number;
  readonly unit: SupportUnit;
  readonly findings: FamilyFindings;
}

/** By the fingerprint of the family; the one examined last is the last. */
export type KnownFindings = Map<string, KnownFamily>;

/** The counts of a window, and what earlier cycles found. */
interface ExaminedWindow {
  readonly index: FamilyIndex;
  readonly known: KnownFindings;
}

interface WindowReading {
  readonly tables?: TableCache;
  /** Executions that are read for families. */
  readonly most?: number;
}

/**
 * A family of more executions is examined again when a tenth of those that are read for it are others; a smaller one at
 * any change.
 */
const LARGE = { executions: 100, changed: 0.1 } as const;

/**
 * Examines the families of a window, the most important first. What `known` holds is used again unless the evidence of the
 * family has changed, so that a cycle costs what is new. Families beyond `most` are left to the next cycles, which begin
 * with those that no cycle has examined.
 */
export function* windowFindings(
  { index, known }: ExaminedWindow,
  families: readonly Family[],
  settings: ExaminationSettings,
  { tables = new TableCache(), most = EXAMINED.inCycle }: WindowReading = {},
): Reading<FamilyFindings[]> {
  const ranked = rankFamilies(families);
  const mostChance = chanceOfEach(ranked.length, tables.unit);
  const samples = ranked.map((family) => ({ family, sample: sampleOf(family, index) }));
  let read = 0;
  for (const { family, sample } of inTurn(samples.filter(isChanged(known, mostChance, tables.unit)), known)) {
    if (read > 0 && read + sample.length > most) break;
    read += sample.length;
    const findings = examineFamily(family, yield* tables.read(sample), settings, mostChance);
    known.delete(family.fingerprint);
    known.set(family.fingerprint, { sample: new Set(sample), mostChance, unit: tables.unit, findings });
  }
  const current = new Set(ranked.map(({ fingerprint }) => fingerprint));
  for (const print of known.keys()) if (!current.has(print)) known.delete(print);
  // With the evidence as it is now: executions may have left since.
  return ranked.flatMap((family) => {
    const found = known.get(family.fingerprint)?.findings;
    return found ? { ...found, family } : [];
  });
}

interface Sampled {
  readonly family: Family;
  readonly sample: readonly string[];
}

const isChanged =
  (known: KnownFindings, mostChance: number, unit: SupportUnit) =>
  ({ family, sample }: Sampled): boolean => {
    const before = known.get(family.fingerprint);
    const most = family.evidence.executionIds.size > LARGE.executions ? LARGE.changed : 0;
    if (before?.mostChance !== mostChance || before.unit !== unit) return true;
    return changedPart(sample, before.sample) > most;
  };

/** Families that are new, by their rank, then those whose examination is the oldest. */
function inTurn(samples: readonly Sampled[], known: KnownFindings): Sampled[] {
  const turns = new Map([...known.keys()].map((print, at) => [print, at]));
  const turnOf = ({ family }: Sampled): number => turns.get(family.fingerprint) ?? -1;
  return [...samples].sort((a, b) => turnOf(a) - turnOf(b));
}

/** The ids of the executions that are read for a family, sorted. */
function sampleOf({ evidence, tools, actions }: Family, index: FamilyIndex): string[] {
  const failing = index.ledger.sampleOf(evidence.executionIds.numbers(), EXAMINED.failing);
  const keys = tools.flatMap((tool) => actions.map((action) => usageKey(tool, action)));
  const controls = index.ledger.sampleOf(index.controlsOf(keys), EXAMINED.controls);
  return [...new Set([...failing, ...controls])].sort();
}

/** The part of a sample that an earlier one does not hold; 1 if that one holds others beside it. */
function changedPart(sample: readonly string[], before: ReadonlySet<string>): number {
  const fresh = sample.filter((id) => !before.has(id)).length;
  if (fresh === 0 && sample.length < before.size) return 1;
  return sample.length === 0 ? 0 : fresh / sample.length;
}
