import { z } from 'zod';
import { sha256 } from '../../platform/base/canonical-json.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import type { ImportContext } from '../importers/importer.js';
import { stated } from '../importers/json-fields.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import { projectName, recordedAgentName } from '../report/agent-name.js';
import { repositoryLabel } from '../report/repository-label.js';
import { isFormatError } from './mini-message.js';
import { RunRow, type RunStep } from './runs.schema.js';

/** One call of a run, in one spelling. */
export interface RunCall {
  readonly tool: string;
  /** Undefined if the row does not hold it: its JSON was cut. */
  readonly input: unknown;
  /** Undefined if the row does not say. */
  readonly ok: boolean | undefined;
  /** What the call printed or answered. */
  readonly output: string;
  readonly reply?: string | undefined;
}

/** A run, in one spelling. */
export interface Run {
  readonly id: string;
  readonly agentId: string;
  readonly taskId: string;
  readonly project: string | undefined;
  readonly harness: string | undefined;
  readonly model: string | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly turns: number | undefined;
  /** Undefined if nothing but the agent judged the execution. */
  readonly succeeded: boolean | undefined;
}

/** The name of the only argument of a tool whose arguments are a plain text. */
const MAIN_ARGUMENT: Readonly<Record<string, string>> = {
  read: 'file_path',
  write: 'file_path',
  edit: 'file_path',
  grep: 'pattern',
  glob: 'pattern',
  task: 'description',
};

export const stepsOf = (row: RunRow): readonly RunStep[] => row.tool_calls ?? row.steps ?? [];
const known = (text: string | null | undefined): string | undefined => stated(text ?? undefined)?.trim();

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

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

export function runOf(row: RunRow): Run {
  const id = String(row.id);
  return {
    id,
    agentId: String(row.agent_id),
    taskId: stated(String(row.task_id ?? '')) ?? known(row.task) ?? id,
    project: known(row.repo) ?? known(row.project),
    harness: known(row.harness) ?? known(row.config),
    model: known(row.model),
    startedAt: timeOf(row.started_at),
    endedAt: timeOf(row.ended_at),
    turns: row.turns ?? undefined,
    succeeded: outcomeOf(row),
  };
}

function timeOf(value: string | null | undefined): string | undefined {
  const at = Date.parse(value ?? '');
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

function outcomeOf({ success, resolved, reward, max_reward }: RunRow): boolean | undefined {
  if (typeof (success ?? resolved) === 'boolean') return success ?? resolved ?? undefined;
  return typeof reward === 'number' ? reward >= (max_reward ?? 1) : undefined;
}

export function callOf({ tool, args, ok, error, obs, result_tail, reply }: RunStep): RunCall {
  return {
    tool,
    input: inputOf(tool, args),
    ok: ok ?? undefined,
    output: error ?? textOf(obs ?? result_tail),
    reply: reply === undefined || reply === null ? undefined : String(reply),
  };
}

/** The arguments as the agent's record holds them; undefined for JSON that was cut. */
function inputOf(tool: string, args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {};
  const parsed = /^\s*[{[]/.test(args) ? parseJson(args) : undefined;
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  if (isShellTool(tool)) return { command: args };
  if (parsed === undefined && /^\s*\{\s*"[\w-]{1,80}"\s*:/.test(args)) return undefined;
  return { [mainArgumentOf(tool.toLowerCase())]: args };
}

function mainArgumentOf(tool: string): string {
  const named = MAIN_ARGUMENT[tool];
  if (named !== undefined) return named;
  if (/sql|query|search/.test(tool)) return 'query';
  return /python|code/.test(tool) ? 'code' : 'input';
}

/** Why a row is no run: the first field that is wrong. */
export function reasonOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}
