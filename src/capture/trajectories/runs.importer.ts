import { sha256 } from '../../platform/base/canonical-json.js';
import { executionsOfRuns, type PendingRun } from '../importers/file-sessions.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { ImportTally, recordsIn } from '../importers/import-tally.js';
import { type ImportContext, streamingImporter, type TranscriptImporter } from '../importers/importer.js';
import { type Fields, isFields } from '../importers/json-fields.js';
import { type Product, ProductSession, reportOfSession } from '../importers/product-session.js';
import { projectName, recordedAgentName } from '../report/agent-name.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { repositoryLabel } from '../report/repository-label.js';
import { isFormatError } from './mini-message.js';
import { callOf, type Run, reasonOf, runOf, stepsOf } from './run-row.js';
import { RunRow } from './runs.schema.js';

/** A row that names no harness says nothing about it. */
const RUNS: Product = { format: 'runs', title: 'Recorded', harness: '' };

const ENDS: Readonly<Record<NonNullable<RunRow['end']>, ForeignEnd>> = {
  finished: 'ended',
  interrupted: 'interrupted',
  limit: { kind: 'limit', reason: 'limit' },
  error: { kind: 'stopped', reason: 'error' },
};

/**
 * Imports runs in the documented form, which anybody can write: one execution a line, each with its own agent. A row that
 * lacks a field is left out with the reason.
 */
export const runsImporter: TranscriptImporter = streamingImporter({
  format: RUNS.format,
  byLine: true,
  recognises,
  *stream(lines: Iterable<string>, context: ImportContext = {}) {
    const tally = new ImportTally();
    yield* executionsOfRuns(runsIn(lines, tally), context);
    return tally.read();
  },
});

function recognises(record: Fields): boolean {
  return 'agent_id' in record && (Array.isArray(record['tool_calls']) || Array.isArray(record['steps']));
}

/** Each row as a run; undefined for a row that is left out. */
function* runsIn(lines: Iterable<string>, tally: ImportTally): Generator<PendingRun | undefined> {
  const seen = new Set<string>();
  for (const value of recordsIn(lines, tally)) {
    const row = RunRow.safeParse(value);
    if (!row.success) {
      tally.badLines += 1;
      tally.omit(`not a run: ${reasonOf(row.error)}`);
      if (isFields(value) && 'agent_id' in value) yield undefined;
      continue;
    }
    const run = runOf(row.data);
    const agent = recordedAgentName(run.agentId);
    const key = sha256(JSON.stringify([agent, run.id])).slice(0, 24);
    const isRepeated = seen.has(key);
    seen.add(key);
    if (isRepeated) tally.omit('run with the id of another one of its agent');
    yield isRepeated
      ? undefined
      : (context) => {
          const report = reportOf(row.data, run, context, tally);
          return report === undefined ? [] : [{ report, agent, skillUses: [] }];
        };
  }
}

function reportOf(row: RunRow, run: Run, context: ImportContext, tally: ImportTally): ExecutionReport | undefined {
  const session = new ProductSession();
  session.id = run.id;
  // two agents can give their runs the same ids
  session.lastId = sha256(JSON.stringify(row)).slice(0, 16);
  // the task alone is the origin of a run
  session.taskId = run.taskId;
  // a run without a call has an outcome too
  session.addPrompt(run.taskId);
  session.model = run.model;
  session.turns = run.turns;
  addPlace(session, run);
  session.widen(run.startedAt ?? context.recordedAt);
  session.widen(run.endedAt);
  addCalls(session, row, session.startedAt ?? '');
  session.end = ENDS[row.end ?? 'finished'];
  if (row.end === 'error') session.errorMessage = row.error ?? undefined;
  session.taskNames.push(run.id, run.taskId);
  if (run.succeeded !== undefined)
    session.verification = { outcome: run.succeeded ? 'succeeded' : 'failed', source: 'evaluator' };
  return reportOfSession(RUNS, session, context, tally);
}

/** `some-agent 2.0.54` is a harness with its version; `acme/shop` and `acme__shop` are a repository. */
function addPlace(session: ProductSession, { harness, project }: Run): void {
  const [, name = harness, version] = /^(.{1,100}?)[ /]v?(\d[\w.-]{0,40})$/.exec(harness ?? '') ?? [];
  session.harness = name;
  session.version = version;
  if (project === undefined) return;
  const path = project.replace(/^([\w.-]{1,60}?)__(?=[\w.-]{1,60}$)/, '$1/');
  session.project = projectName(path);
  if (path.includes('/')) session.repository = repositoryLabel(path);
}

function addCalls(session: ProductSession, row: RunRow, at: string): void {
  for (const [n, step] of stepsOf(row).entries()) {
    const { tool, input, ok, output, reply } = callOf(step);
    session.addCall(String(n), { name: tool, input, at, reply });
    // a result that the row does not tell is unknown, and no row says how long a call took
    if (ok === undefined) continue;
    const refused = !ok && isFormatError(output) ? { refused: true } : {};
    session.finishCall(String(n), { failed: !ok, text: output, ...refused, durationMs: -1 }, at);
  }
}
