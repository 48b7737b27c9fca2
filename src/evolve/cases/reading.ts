import type { ReportedExecution } from '../evidence/recorded-execution.js';

/** Reads executions with their reports; unknown ids are left out. */
export interface CaseSource {
  readReported(ids: readonly string[]): AsyncIterable<ReportedExecution>;
}

/** Asks for pages of executions by their ids, and returns a result. */
export type Reading<R> = Generator<readonly string[], R, readonly ReportedExecution[]>;

/** Runs a reading on a source. */
export async function readFromSource<R>(reading: Reading<R>, source: CaseSource): Promise<R> {
  let step = reading.next();
  while (!step.done) {
    const found: ReportedExecution[] = [];
    for await (const one of source.readReported(step.value)) found.push(one);
    step = reading.next(found);
  }
  return step.value;
}
