import type { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { stated } from '../importers/json-fields.js';
import type { RunRow, RunStep } from './runs.schema.js';

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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

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
