import { z } from 'zod';
import { isShellTool } from '../../src/capture/actions/action.js';
import { parseJson } from '../../src/platform/base/parse-json.js';

const text = z.string().nullish();
const label = z.union([z.string(), z.number()]);
const Step = z.looseObject({
  tool: z.string().trim().min(1),
  args: z.unknown().optional(),
  ok: z.boolean().nullish(),
  error: text,
  obs: z.unknown().optional(),
  result_tail: z.unknown().optional(),
});
type Step = z.infer<typeof Step>;

/** One execution of a set, with every spelling of its fields. */
const Row = z
  .looseObject({
    id: label,
    agent_id: label,
    task_id: label.nullish(),
    task: text,
    repo: text,
    project: text,
    harness: text,
    config: text,
    model: text,
    started_at: text,
    ended_at: text,
    turns: z.number().nullish(),
    tool_calls: z.array(Step).nullish(),
    steps: z.array(Step).nullish(),
    success: z.boolean().nullish(),
    resolved: z.boolean().nullish(),
    reward: z.number().nullish(),
    max_reward: z.number().nullish(),
  })
  .refine((row) => Array.isArray(row.tool_calls ?? row.steps), {
    path: ['tool_calls'],
    error: 'is missing, and so is steps',
  });
type Row = z.infer<typeof Row>;

/** One call of a row. */
export interface SetCall {
  readonly tool: string;
  /** Undefined if the row does not hold it: its JSON was cut. */
  readonly input: unknown;
  /** Undefined if the row does not say. */
  readonly ok: boolean | undefined;
  /** What the call printed or answered. */
  readonly output: string;
  /** The text of the arguments is not whole. */
  readonly isCut: boolean;
}

/** A row in one spelling. */
export interface SetRow {
  readonly line: number;
  readonly id: string;
  readonly agentId: string;
  readonly taskId: string;
  readonly project: string | undefined;
  readonly harness: string;
  readonly model: string | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly turns: number | undefined;
  readonly calls: readonly SetCall[];
  /** Undefined if nothing but the agent judged the execution. */
  readonly succeeded: boolean | undefined;
}

/** A line that is no execution. */
export interface SkippedLine {
  readonly line: number;
  readonly reason: string;
}

export interface SetRows {
  readonly rows: readonly SetRow[];
  readonly skipped: readonly SkippedLine[];
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

/** A length that so many different arguments of one tool share, and none exceeds, is a limit: those were cut. */
const TEXTS_AT_LIMIT = 5;
const SHORTEST_LIMIT = 100;

/** Reads the rows of a set. `name` is the name of its folder. A line that is no execution is skipped, with the reason. */
export function readRows(jsonl: string, name: string): SetRows {
  const parsed: { line: number; row: Row }[] = [];
  const skipped: SkippedLine[] = [];
  for (const [at, text] of jsonl.split('\n').entries()) {
    if (text.trim() === '') continue;
    const row = Row.safeParse(parseJson(text));
    if (row.success) parsed.push({ line: at + 1, row: row.data });
    else skipped.push({ line: at + 1, reason: reasonOf(row.error) });
  }
  const limits = limitsOf(parsed.flatMap(({ row }) => stepsOf(row)));
  return { rows: parsed.map(({ line, row }) => rowOf(line, row, name, limits)), skipped };
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}

const stepsOf = (row: Row): readonly Step[] => row.tool_calls ?? row.steps ?? [];
const known = (text: string | null | undefined): string | undefined => (text?.trim() ? text.trim() : undefined);

function rowOf(line: number, row: Row, name: string, limits: ReadonlyMap<string, number>): SetRow {
  const id = String(row.id);
  return {
    line,
    id,
    agentId: String(row.agent_id),
    taskId: String(row.task_id ?? row.task ?? id),
    project: known(row.repo) ?? known(row.project),
    harness: known(row.harness) ?? known(row.config) ?? name,
    model: known(row.model),
    startedAt: timeOf(row.started_at),
    endedAt: timeOf(row.ended_at),
    turns: row.turns ?? undefined,
    calls: stepsOf(row).map((step) => callOf(step, limits)),
    succeeded: outcomeOf(row),
  };
}

function timeOf(value: string | null | undefined): string | undefined {
  const at = Date.parse(value ?? '');
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

function outcomeOf({ success, resolved, reward, max_reward }: Row): boolean | undefined {
  if (typeof (success ?? resolved) === 'boolean') return success ?? resolved ?? undefined;
  return typeof reward === 'number' ? reward >= (max_reward ?? 1) : undefined;
}

/** The greatest length of the arguments of each tool, where it is a limit at which they were cut. */
function limitsOf(steps: readonly Step[]): Map<string, number> {
  const longest = new Map<string, { length: number; texts: Set<string> }>();
  for (const { tool, args } of steps) {
    if (typeof args !== 'string' || args.length < SHORTEST_LIMIT) continue;
    const found = longest.get(tool);
    if (found === undefined || args.length > found.length)
      longest.set(tool, { length: args.length, texts: new Set([args]) });
    else if (args.length === found.length) found.texts.add(args);
  }
  const limits = [...longest].filter(([, { texts }]) => texts.size >= TEXTS_AT_LIMIT);
  return new Map(limits.map(([tool, { length }]) => [tool, length]));
}

function callOf(step: Step, limits: ReadonlyMap<string, number>): SetCall {
  const { tool, args, ok, error } = step;
  const isLimited = typeof args === 'string' && args.length === limits.get(tool);
  const input = inputOf(tool, args);
  return {
    tool,
    input,
    ok: ok ?? undefined,
    output: error ?? textOf(step.obs ?? step.result_tail),
    isCut: isLimited || input === undefined,
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
