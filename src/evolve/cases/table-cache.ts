import {
  inOrder,
  type RecordedExecution,
  type ReportedExecution,
  recordedExecution,
} from '../evidence/recorded-execution.js';
import type { SupportUnit } from '../support/support.schema.js';
import { partyOf } from '../support/support-level.js';

/**
 * The calls that are kept at most, those of one reading, and the executions of a page. A table of 5,000 calls takes about
 * 10 MB.
 */
const TABLES = { calls: 60_000, read: 100_000, page: 80 } as const;

/** The tables of one cycle: an execution belongs to several families, and parsing its report is the dearest step. */
export class TableCache {
  private readonly tables = new Map<string, RecordedExecution>();
  private calls = 0;

  /** `unit`: what counts as one support. */
  constructor(readonly unit: SupportUnit = 'agents') {}

  /**
   * Returns the tables of these executions, in their order; unknown ids are left out, and what follows once
   * the tables have too many calls: a report of 5,000 calls must not fill the memory.
   */
  *read(ids: readonly string[]): Reading<RecordedExecution[]> {
    const found: RecordedExecution[] = [];
    let calls = 0;
    for (let at = 0; at < ids.length && calls < TABLES.read; at += TABLES.page) {
      const page = ids.slice(at, at + TABLES.page);
      const missing = page.filter((id) => !this.tables.has(id));
      const made = new Map(
        (missing.length > 0 ? yield missing : []).map((one) => [
          one.observed.executionId,
          recordedExecution(one, { party: partyOf(one.observed, this.unit) }),
        ]),
      );
      for (const id of page) {
        const table = this.tables.get(id) ?? made.get(id);
        if (!table || calls >= TABLES.read) continue;
        calls += table.calls.length;
        found.push(table);
      }
      for (const table of made.values()) this.keep(table);
    }
    return found.sort(inOrder);
  }

  private keep(table: RecordedExecution): void {
    this.tables.set(table.id, table);
    this.calls += table.calls.length + 1;
    for (const [id, { calls }] of this.tables) {
      if (this.calls <= TABLES.calls) break;
      this.tables.delete(id);
      this.calls -= calls.length + 1;
    }
  }
}

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
