import type { Reading } from '../cases/reading.js';
import { TableCache } from '../cases/table-cache.js';
import type { Family } from '../evidence/candidate.js';
import type { ExaminationSettings, FamilyFindings } from '../examination/family-examination.js';
import { type ExaminedWindow, windowFindings } from '../examination/window-examination.js';
import type { ClassifierSettings } from './draft-classifier.js';

/** What a cycle needs to know beside its window. */
export interface CycleSettings extends ClassifierSettings, ExaminationSettings {}

/** The families of a window, and what their examination found. */
export interface CycleWindow {
  /** Of whatever number of agents. */
  readonly families: readonly Family[];
  /** Those of enough agents. */
  readonly enough: readonly Family[];
  readonly tables: TableCache;
  readonly findings: readonly FamilyFindings[];
}

export function* examineWindow(reader: ExaminedWindow, settings: ExaminationSettings): Reading<CycleWindow> {
  const families = reader.index.families();
  const enough = families.filter(({ evidence }) =>
    evidence.hasAtLeast(settings.minAgentsForPattern, settings.minOwnersForPattern),
  );
  const tables = new TableCache();
  return { families, enough, tables, findings: yield* windowFindings(reader, enough, settings, { tables }) };
}
