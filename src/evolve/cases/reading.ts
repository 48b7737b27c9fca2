import type { ReportedExecution } from '../evidence/recorded-execution.js';

/** Reads executions with their reports; unknown ids are left out. */
export interface CaseSource {
  read(ids: readonly string[]): Promise<readonly ReportedExecution[]>;
}

/** Asks for pages of executions by their ids, and returns a result. */
export type Reading<R> = Generator<readonly string[], R, readonly ReportedExecution[]>;

/** Runs a reading on a source. */
export async function readFromSource<R>(reading: Reading<R>, source: CaseSource): Promise<R> {
  let step = reading.next();
  while (!step.done) step = reading.next(await source.read(step.value));
  return step.value;
}
