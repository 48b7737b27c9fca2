import { type RecordedExecution, type RecordOptions, recordedExecution } from '../evidence/recorded-execution.js';
import type { Ledger } from '../support/ledger.js';
import type { Reading } from './reading.js';
import type { TableCache } from './table-cache.js';

/** `showing`: executions that show the remedy. `read`: executions that are read for them at most, in steps of `page`. */
export const CASE_SETTINGS = { showing: 60, read: 600, page: 60 } as const;

/** The executions that a draft's cases come from, and what one of them shows. */
export interface CaseRequest<T> extends RecordOptions {
  /** Numbers in the ledger. */
  readonly executions: Iterable<number>;
  readonly casesOf: (execution: RecordedExecution) => readonly T[];
  /** Returns whether a case shows the remedy; only these count towards the limit. */
  readonly shows: (one: T) => boolean;
}

/**
 * Reads executions until enough of them show the remedy. The cases depend on the set of executions, not on the order in
 * which the ledger received them.
 */
export function* collectCases<T>(
  ledger: Ledger,
  tables: TableCache,
  { executions, casesOf, shows, countSkippedChecks = false }: CaseRequest<T>,
): Reading<T[]> {
  const ids = ledger.sampleOf(executions, CASE_SETTINGS.read);
  const cases: T[] = [];
  let showing = 0;
  for (let at = 0; at < ids.length && showing < CASE_SETTINGS.showing; at += CASE_SETTINGS.page) {
    const page = ids.slice(at, at + CASE_SETTINGS.page);
    const found = new Map((yield* tables.read(page)).map((one) => [one.id, one]));
    for (const id of page) {
      const execution = found.get(id);
      const table =
        execution && countSkippedChecks ? recordedExecution(execution.source, { countSkippedChecks }) : execution;
      const own = table ? casesOf(table) : [];
      cases.push(...own);
      if (own.some(shows)) showing += 1;
    }
  }
  return cases;
}
