import { z } from 'zod';
import { claudeCodeImporter } from '../src/capture/importers/claude-code.importer.js';
import type { StoredExecution } from '../src/capture/observations/observation.js';
import type { ExecutionReport, Verification } from '../src/capture/report/execution-report.schema.js';
import { originOf } from '../src/capture/report/origin.js';
import { sanitiseReport } from '../src/capture/report/sanitised-report.js';

const text = z.string().nullish();
const Step = z.looseObject({
  tool: z.string(),
  args: z.unknown().optional(),
  ok: z.boolean(),
  error: text,
  obs: z.unknown().optional(),
});
/** One parsed session of the shared formats: calls as `tool_calls` or `steps`, and an outcome if there is one. */
const Session = z.looseObject({
  id: z.union([z.string(), z.number()]),
  agent_id: z.string(),
  model: text,
  repo: text,
  task: text,
  task_id: z.union([z.string(), z.number()]).nullish(),
  started_at: text,
  ended_at: text,
  tool_calls: z.array(Step).nullish(),
  steps: z.array(Step).nullish(),
  success: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  reward: z.number().nullish(),
});
type Session = z.infer<typeof Session>;
type Step = z.infer<typeof Step>;

/** An execution as the server would store it, and its start time; undefined if the data has none. */
export interface SharedSession {
  readonly startedAt: string | undefined;
  /** The repository, otherwise the first part of the task's id. */
  readonly workKind: string;
  readonly execution: StoredExecution;
}

/** The name of the only argument that the data has of each tool. */
const MAIN_ARGUMENT: Readonly<Record<string, string>> = {
  bash: 'command',
  read: 'file_path',
  write: 'file_path',
  edit: 'file_path',
  grep: 'pattern',
  glob: 'pattern',
  task: 'description',
};
const UNDATED = '2000-01-01T00:00:00.000Z';

/**
 * Reads sessions as the server receives them: through the importer, then redacted and cut to the limits of a report.
 * Throws with the line number for an invalid line.
 */
export function sharedSessions(jsonl: string): SharedSession[] {
  return jsonl.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const parsed = Session.safeParse(readJson(line));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Error(`line ${at + 1} is not a session: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    return sharedSession(parsed.data);
  });
}

export function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function sharedSession(session: Session): SharedSession[] {
  const { reports } = claudeCodeImporter.derive(transcriptOf(session));
  const [report] = reports;
  if (report === undefined) return [];
  const sanitised = sanitiseReport({ ...report, verification: verificationOf(session) });
  if (!sanitised.usable) return [];
  const { agent_id: agentId, started_at } = session;
  const id = String(session.id);
  return [
    {
      startedAt: started_at ?? undefined,
      workKind: session.repo ?? String(session.task_id ?? '').split('/')[0] ?? '',
      execution: {
        id,
        agentId,
        agentName: agentId,
        owner: agentId,
        rootExecutionKey: `${agentId}:${id}`,
        origin: originOf(sanitised.report),
        finishedAt: sanitised.report.finishedAt,
        report: sanitised.report,
      },
    },
  ];
}

function verificationOf({ success, resolved, reward }: Session): Verification {
  const isSuccess = success ?? resolved ?? (typeof reward === 'number' ? reward >= 1 : undefined);
  if (isSuccess === undefined) return { outcome: 'none' };
  return { outcome: isSuccess ? 'succeeded' : 'failed', source: 'reward' };
}

function transcriptOf(session: Session): string[] {
  const { agent_id, model, task, task_id, started_at, ended_at } = session;
  const id = String(session.id);
  const calls = session.tool_calls ?? session.steps ?? [];
  const began = Date.parse(started_at ?? UNDATED);
  const ended = Date.parse(ended_at ?? '');
  const step = Number.isFinite(ended) ? Math.max(0, ended - began) / (calls.length * 2 + 1) : 1_000;
  const modelName = model ?? 'unknown';
  const records: object[] = [{ type: 'user', message: { role: 'user', content: task ?? String(task_id ?? id) } }];
  for (const [n, call] of calls.entries()) {
    const use = `${id}-${n}`;
    const toolUse = { type: 'tool_use', id: use, name: call.tool, input: inputOf(call) };
    const result = { type: 'tool_result', tool_use_id: use, is_error: !call.ok, content: errorOf(call) };
    records.push({ type: 'assistant', message: { id: `m-${use}`, model: modelName, content: [toolUse] } });
    records.push({ type: 'user', message: { role: 'user', content: [result] } });
  }
  return records.map((record, n) =>
    JSON.stringify({
      ...record,
      uuid: `${id}-${n}`,
      sessionId: id,
      cwd: `/data/${agent_id}`,
      timestamp: isoTime(began + step * n),
    }),
  );
}

/** Converts a time of the data; reads no clock. */
const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

function errorOf({ ok, error, obs }: Step): string {
  if (ok) return '';
  return error ?? (typeof obs === 'string' ? obs : JSON.stringify(obs ?? ''));
}

function inputOf({ tool, args }: Step): unknown {
  if (typeof args !== 'string') return args ?? {};
  const name = MAIN_ARGUMENT[tool.toLowerCase()];
  if (name !== undefined) return { [name]: args };
  const parsed = readJson(args);
  return typeof parsed === 'object' && parsed !== null ? parsed : { input: args };
}

/** Whether the report's outcome is success, for figures over verified sessions; undefined without an outcome. */
export function succeeded({ report }: Pick<StoredExecution, 'report'>): boolean | undefined {
  const { outcome }: Pick<ExecutionReport['verification'], 'outcome'> = report.verification;
  return outcome === 'none' ? undefined : outcome === 'succeeded';
}
