import { ImportTally, parseDocument, readLine } from '../importers/import-tally.js';
import type { DerivedExecutions, ImportContext, TranscriptImporter } from '../importers/importer.js';
import { type Fields, isFields } from '../importers/json-fields.js';
import type { ExecutionReport, Verification } from '../report/execution-report.schema.js';
import { type Product, ProductSession, reportOfSession } from '../transcripts/product-session.js';
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
export const openHandsV0Importer: TranscriptImporter = {
  format: OPENHANDS.format,
  recognises: (record) => isRow(record) || isEvent(record),
  derive(lines: Iterable<string>, context: ImportContext = {}): DerivedExecutions {
    const tally = new ImportTally();
    const reports: ExecutionReport[] = [];
    const events: unknown[] = [];
    for (const value of recordsIn([...lines], tally)) {
      if (!isFields(value) || !isRow(value)) events.push(value);
      else reports.push(...reportOfRow(value, context, tally));
    }
    const name = context.sessionHint ?? 'unnamed';
    if (events.length > 0) reports.push(...reportOfRun({ events, name }, context, tally));
    if (reports.length === 0 && events.length === 0) tally.omit('no turns');
    return { reports, skillUses: [], counts: tally.counts(), omitted: tally.omitted() };
  },
};

/** The records of a file: one in each line, or a list over all of them. */
function recordsIn(lines: readonly string[], tally: ImportTally): unknown[] {
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
  const isList = first === '[' || (lines.length === 1 && first.startsWith('['));
  const read = isList ? [parseDocument(lines, tally)] : lines.map((line) => readLine(line, tally));
  return read.flatMap((value) => {
    if (Array.isArray(value)) return value.flatMap((item: unknown) => item);
    if (value !== undefined && !isFields(value)) tally.badLines += 1;
    return isFields(value) ? [value] : [];
  });
}

function reportOfRow(value: Fields, context: ImportContext, tally: ImportTally): ExecutionReport[] {
  const { data: row } = V0Row.safeParse(value);
  if (row === undefined) {
    tally.badLines += 1;
    return [];
  }
  // before 0.9 the history was a list of pairs
  return reportOfRun({ events: row.history.flat(), name: row.instance_id, row }, context, tally);
}

interface Run {
  readonly events: readonly unknown[];
  readonly name: string;
  readonly row?: V0Row;
}

function reportOfRun({ events, name, row }: Run, context: ImportContext, tally: ImportTally): ExecutionReport[] {
  const session = new ProductSession(new Set());
  const read = events.flatMap((event) => {
    const { data } = V0Event.safeParse(event);
    const isKnown = data?.action !== undefined || data?.observation !== undefined;
    if (!isKnown) tally.omit('event that is no readable record');
    return data === undefined || !isKnown ? [] : [data];
  });
  for (const [n, event] of read.entries()) addV0Event(session, event, { prefix: name, n });
  if (read.length === 0 && row === undefined) return [];
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
  const first = read.find(({ source, action }) => source === 'agent' && action !== 'system');
  nameRun(session, name, {
    first: [first?.timestamp, first?.action, first?.tool_call_metadata?.tool_call_id],
    last: [read.length, read.at(-1)?.id, read.at(-1)?.timestamp, row?.error],
  });
  const report = reportOfSession(OPENHANDS, session, context, tally);
  return report === undefined ? [] : [report];
}

/** The verdict of the benchmark's own tests, if the evaluation wrote it into the row. */
function verdictOf(row: V0Row | undefined): Verification | undefined {
  const resolved =
    row?.report?.resolved ?? row?.test_result?.report?.resolved ?? row?.test_result?.resolved ?? row?.resolved;
  return resolved === undefined ? undefined : { outcome: resolved ? 'succeeded' : 'failed', source: 'test' };
}
