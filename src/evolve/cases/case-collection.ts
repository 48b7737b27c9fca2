import type { Ledger } from '../evidence/ledger.js';
import type { ReportedExecution } from './case.js';

/** Reads executions with their reports; unknown ids are left out. */
export interface CaseSource {
  read(ids: readonly string[]): Promise<readonly ReportedExecution[]>;
}

/** `showing`: executions that show the remedy. `read`: executions that are read for them at most, in steps of `page`. */
export const CASE_SETTINGS = { showing: 60, read: 600, page: 60 } as const;

/** The executions that a draft's cases come from, and what one of them shows. */
export interface CaseRequest<T> {
  /** Numbers in the ledger. */
  readonly executions: Iterable<number>;
  readonly casesOf: (execution: ReportedExecution) => readonly T[];
  /** Returns whether a case shows the remedy; only these count towards the limit. */
  readonly shows: (one: T) => boolean;
}

/** Asks for pages of executions by their ids, and returns a result. */
export type Reading<R> = Generator<readonly string[], R, readonly ReportedExecution[]>;

/**
 * Reads executions until enough of them show the remedy. The cases depend on the set of executions, not on the order in
 * which the ledger received them.
 */
export function* collectCases<T>(ledger: Ledger, { executions, casesOf, shows }: CaseRequest<T>): Reading<T[]> {
  const ids = ledger.sampleOf(executions, CASE_SETTINGS.read);
  const cases: T[] = [];
  let showing = 0;
  for (let at = 0; at < ids.length && showing < CASE_SETTINGS.showing; at += CASE_SETTINGS.page) {
    const page = ids.slice(at, at + CASE_SETTINGS.page);
    const found = new Map((yield page).map((one) => [one.observed.executionId, one]));
    for (const id of page) {
      const execution = found.get(id);
      const own = execution ? casesOf(execution) : [];
      cases.push(...own);
      if (own.some(shows)) showing += 1;
    }
  }
  return cases;
}

/** Runs a reading on executions in memory. */
export function readFromMemory<R>(reading: Reading<R>, execution: (id: string) => ReportedExecution | undefined): R {
  let step = reading.next();
  while (!step.done) step = reading.next(step.value.flatMap((id) => execution(id) ?? []));
  return step.value;
}

/** Runs a reading on a source. */
export async function readFromSource<R>(reading: Reading<R>, source: CaseSource): Promise<R> {
  let step = reading.next();
  while (!step.done) step = reading.next(await source.read(step.value));
  return step.value;
}
