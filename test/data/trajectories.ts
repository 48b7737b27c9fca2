import { z } from 'zod';

/** One parsed session of SWEContextBench: tools, arguments as text, and errors of failed calls. */
const Trajectory = z.object({
  id: z.string(),
  agent_id: z.string(),
  model: z.string(),
  task: z.string(),
  started_at: z.string(),
  ended_at: z.string(),
  tool_calls: z.array(z.object({ tool: z.string(), args: z.string(), ok: z.boolean(), error: z.string().optional() })),
});
type Trajectory = z.infer<typeof Trajectory>;

export interface Transcript {
  readonly agent: string;
  readonly session: string;
  readonly text: string;
}

/** The name of the only argument that the data has of each tool. */
const MAIN_ARGUMENT: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  Grep: 'pattern',
  Glob: 'pattern',
  Task: 'description',
};

/** Converts the parsed sessions back to transcripts, so that the importer itself makes their reports. */
export function transcriptsOf(jsonl: string): Transcript[] {
  return jsonl
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Trajectory.parse(JSON.parse(line)))
    .map((trajectory) => ({
      agent: trajectory.agent_id,
      session: trajectory.id,
      text: recordsOf(trajectory)
        .map((record) => JSON.stringify(record))
        .join('\n'),
    }));
}

function recordsOf({ id, agent_id, model, task, started_at, ended_at, tool_calls }: Trajectory): object[] {
  const began = Date.parse(started_at);
  const step = (Date.parse(ended_at) - began) / (tool_calls.length * 2 + 1);
  const records: object[] = [{ type: 'user', message: { role: 'user', content: task } }];
  for (const [n, { tool, args, ok, error }] of tool_calls.entries()) {
    const use = `${id}-${n}`;
    const call = { type: 'tool_use', id: use, name: tool, input: inputOf(tool, args) };
    const result = { type: 'tool_result', tool_use_id: use, is_error: !ok, content: error ?? '' };
    records.push({ type: 'assistant', message: { id: `m-${use}`, model, content: [call] } });
    records.push({ type: 'user', message: { role: 'user', content: [result] } });
  }
  records.push({ type: 'assistant', message: { id: `m-${id}`, model, content: [{ type: 'text', text: 'Done.' }] } });
  return records.map((record, n) => ({
    ...record,
    uuid: `${id}-${n}`,
    sessionId: id,
    cwd: `/data/${agent_id}`,
    timestamp: isoTime(began + step * n),
  }));
}

/** Converts a time of the data; reads no clock. */
const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

function inputOf(tool: string, args: string): unknown {
  const name = MAIN_ARGUMENT[tool];
  if (name !== undefined) return { [name]: args };
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}
