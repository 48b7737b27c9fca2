import { z } from 'zod';
import type { ImportTally } from '../importers/import-tally.js';
import { type Fields, isFields } from '../importers/json-fields.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import type { Verification } from '../report/execution-report.schema.js';
import { V0Event, V0Row } from './openhands-v0.schema.js';
import { addV0Event, v0Error } from './openhands-v0-events.js';
import { isListStart, nameInstance, nameRun } from './run-identity.js';

const isRow = (record: Fields): boolean => 'instance_id' in record && Array.isArray(record['history']);
const isEvent = (record: Fields): boolean =>
  (typeof record['action'] === 'string' || typeof record['observation'] === 'string') &&
  !('kind' in record) &&
  ('source' in record || 'cause' in record || 'args' in record) &&
  ('id' in record || 'message' in record);

/**
 * Imports runs of OpenHands before its version 1: a list of actions and observations, one event a line, or the rows of an
 * evaluation's `output.jsonl`, each a run with its verdict.
 */
export const openHandsV0Importer = sessionImporter({
  product: { format: 'openhands-v0', title: 'OpenHands', harness: 'openhands' },
  byLine: (firstLine) => !isListStart(firstLine.trim()),
  recognises: (record) => isRow(record) || isEvent(record),
  record: z.unknown(),
  isDocument: isListStart,
  // the events of all lines are one run
  sessionOf: (record, position) => (isRow(record) ? `row ${position}` : ''),
  begin: ({ sessionHint = 'unnamed' }, tally) => new V0Reading(sessionHint, tally),
});

/** Reads a row, or the events of a run, also in lists. */
class V0Reading {
  readonly #rows: ProductSession[] = [];
  #events: RunReading | undefined;

  constructor(
    private readonly name: string,
    private readonly tally: ImportTally,
  ) {}

  get sessions(): ProductSession[] {
    return [...this.#rows, ...(this.#events?.sessions() ?? [])];
  }

  add(value: unknown): boolean {
    if (Array.isArray(value))
      return value
        .flat()
        .map((one) => this.#addRecord(one))
        .every(Boolean);
    return isFields(value) && this.#addRecord(value);
  }

  addHole(): void {
    this.#events?.addHole();
  }

  #addRecord(value: unknown): boolean {
    if (!isFields(value) || !isRow(value)) {
      this.#events ??= new RunReading(this.name, this.tally);
      this.#events.add(value);
      return true;
    }
    const { data: row } = V0Row.safeParse(value);
    if (row === undefined) return false;
    const run = new RunReading(row.instance_id, this.tally, row);
    // before 0.9 the history was a list of pairs
    for (const event of row.history.flat()) run.add(event);
    this.#rows.push(...run.sessions());
    return true;
  }
}

/** Reads the events of one run in their order. */
class RunReading {
  readonly #session = new ProductSession();
  #count = 0;
  #first: V0Event | undefined;
  #last: V0Event | undefined;

  constructor(
    private readonly name: string,
    private readonly tally: ImportTally,
    private readonly row?: V0Row,
  ) {}

  addHole(): void {
    this.#session.addHole();
  }

  add(value: unknown): void {
    const { data: event } = V0Event.safeParse(value);
    if (event === undefined || (event.action === undefined && event.observation === undefined)) {
      this.tally.omit('event that is no readable record');
      this.addHole();
      return;
    }
    addV0Event(this.#session, event, { prefix: this.name, n: this.#count });
    this.#count += 1;
    if (event.source === 'agent' && event.action !== 'system') this.#first ??= event;
    this.#last = event;
  }

  /** After the last event. */
  sessions(): ProductSession[] {
    const session = this.#session;
    const { name, row } = this;
    if (this.#count === 0 && row === undefined) return [];
    nameInstance(session, name);
    // an evaluation works in the copy of a repository in a container
    if (session.project !== undefined) session.cwd = undefined;
    session.model ??= row?.metadata?.llm_config?.model;
    if (row?.error) {
      session.end = v0Error(row.error);
      session.errorMessage = row.error;
    }
    session.taskNames.push(name);
    session.verification = verdictOf(row);
    const [first, last] = [this.#first, this.#last];
    nameRun(session, name, {
      first: [first?.timestamp, first?.action, first?.tool_call_metadata?.tool_call_id],
      last: [this.#count, last?.id, last?.timestamp, row?.error],
    });
    return [session];
  }
}

/** The verdict of the benchmark's own tests, if the evaluation wrote it into the row. */
function verdictOf(row: V0Row | undefined): Verification | undefined {
  const resolved =
    row?.report?.resolved ?? row?.test_result?.report?.resolved ?? row?.test_result?.resolved ?? row?.resolved;
  return resolved === undefined ? undefined : { outcome: resolved ? 'succeeded' : 'failed', source: 'test' };
}
