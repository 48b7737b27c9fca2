import { executionsOfRuns, type PendingRun } from '../importers/file-sessions.js';
import { HOLE, ImportTally, MAX_LINE, parseDocument, readLine } from '../importers/import-tally.js';
import {
  type DerivedExecution,
  type ImportContext,
  streamingImporter,
  type TranscriptImporter,
} from '../importers/importer.js';
import { type Fields, isFields } from '../importers/json-fields.js';
import { type Product, ProductSession, reportOfSession } from '../importers/product-session.js';
import type { Verification } from '../report/execution-report.schema.js';
import { V0Event, V0Row } from './openhands-v0.schema.js';
import { addV0Event, v0Error } from './openhands-v0-events.js';
import { nameInstance, nameRun } from './run-identity.js';

const OPENHANDS: Product = { format: 'openhands-v0', title: 'OpenHands', harness: 'openhands' };

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
export const openHandsV0Importer: TranscriptImporter = streamingImporter({
  format: OPENHANDS.format,
  byLine: (firstLine) => !isListStart(firstLine),
  recognises: (record) => isRow(record) || isEvent(record),
  *stream(lines: Iterable<string>, context: ImportContext = {}) {
    const tally = new ImportTally();
    let isEmpty = true;
    for (const one of executionsOfRuns(runsIn(lines, context, tally), context)) {
      isEmpty = false;
      yield one;
    }
    if (isEmpty && !tally.hasOmitted()) tally.omit('no turns');
    return tally.read();
  },
});

/** A list over several lines, or in one that is too long for a record, is read as a whole. */
const isListStart = (line: string): boolean => line.trim() === '[' || (line.length > MAX_LINE && line[0] === '[');

/** The rows one by one; the events of all lines are one run, which comes last. */
function* runsIn(
  lines: Iterable<string>,
  { sessionHint = 'unnamed' }: ImportContext,
  tally: ImportTally,
): Generator<PendingRun | undefined> {
  let ofEvents: RunReading | undefined;
  for (const value of recordsIn(lines, tally)) {
    if (value === HOLE) ofEvents?.addHole();
    else if (!isFields(value) || !isRow(value)) {
      ofEvents ??= new RunReading(sessionHint, tally);
      ofEvents.add(value);
    } else yield runOfRow(value, tally);
  }
  if (ofEvents !== undefined) yield (context) => ofEvents.executions(context);
}

/** The records of a file: one in each line, or a list over all of them. */
function* recordsIn(lines: Iterable<string>, tally: ImportTally): Generator<unknown> {
  let list: string[] | undefined;
  let isStart = true;
  for (const line of lines) {
    if (isStart && isListStart(line)) list = [];
    isStart &&= line.trim() === '';
    if (list === undefined)
      for (const value of readLine(line, tally)) yield* value === HOLE ? [HOLE] : recordsOf(value, tally);
    else list.push(line);
  }
  if (list !== undefined) yield* recordsOf(parseDocument(list, tally), tally);
}

function recordsOf(value: unknown, tally: ImportTally): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => item);
  if (value !== undefined && !isFields(value)) tally.badLines += 1;
  return isFields(value) ? [value] : [];
}

function runOfRow(value: Fields, tally: ImportTally): PendingRun | undefined {
  const { data: row } = V0Row.safeParse(value);
  if (row === undefined) {
    tally.badLines += 1;
    return undefined;
  }
  return (context) => {
    const run = new RunReading(row.instance_id, tally, row);
    // before 0.9 the history was a list of pairs
    for (const event of row.history.flat()) run.add(event);
    return run.executions(context);
  };
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

  executions(context: ImportContext): DerivedExecution[] {
    const session = this.#session;
    const { name, row, tally } = this;
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
    const report = reportOfSession(OPENHANDS, session, context, tally);
    return report === undefined ? [] : [{ report, skillUses: [] }];
  }
}

/** The verdict of the benchmark's own tests, if the evaluation wrote it into the row. */
function verdictOf(row: V0Row | undefined): Verification | undefined {
  const resolved =
    row?.report?.resolved ?? row?.test_result?.report?.resolved ?? row?.test_result?.resolved ?? row?.resolved;
  return resolved === undefined ? undefined : { outcome: resolved ? 'succeeded' : 'failed', source: 'test' };
}
