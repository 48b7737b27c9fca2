import { z } from 'zod';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import type { ImportContext } from '../importers/importer.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import { projectName, recordedAgentName } from '../report/agent-name.js';
import { repositoryLabel } from '../report/repository-label.js';
import { isFormatError } from './mini-message.js';
import { callOf, type Run, reasonOf, runOf, stepsOf } from './run-row.js';
import { RunRow } from './runs.schema.js';

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
export const runsImporter = sessionImporter({
  product: { format: 'runs', title: 'Recorded', harness: '' },
  byLine: true,
  recognises: (record) =>
    'agent_id' in record && (Array.isArray(record['tool_calls']) || Array.isArray(record['steps'])),
  record: z.unknown(),
  sessionOf: ({ agent_id: agent, id }) => JSON.stringify([labelOf(agent), labelOf(id)]),
  begin(context, tally) {
    const sessions: ProductSession[] = [];
    return {
      sessions,
      // rows do not depend on each other
      addHole: () => undefined,
      add(value) {
        const row = RunRow.safeParse(value);
        if (!row.success) tally.omit(`not a run: ${reasonOf(row.error)}`);
        else if (sessions.length > 0) tally.omit('run with the id of another one of its agent');
        else sessions.push(sessionOfRow(row.data, context));
        return row.success;
      },
    };
  },
});

const labelOf = (value: unknown): string => (typeof value === 'object' ? '' : String(value));

function sessionOfRow(row: RunRow, context: ImportContext): ProductSession {
  const run = runOf(row);
  const session = new ProductSession();
  session.id = run.id;
  session.agent = recordedAgentName(run.agentId);
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
  return session;
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
