import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { RunRow, RunStep } from '../../src/capture/trajectories/runs.schema.js';
import { parseJson } from '../../src/platform/base/parse-json.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

/** The sample fleet: one folder for each agent, one file for each session. */
const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');

const Part = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});
const Line = z.looseObject({
  timestamp: z.string(),
  message: z.looseObject({ model: z.string().optional(), content: z.union([z.string(), z.array(Part)]) }),
});

/** The sessions of the sample fleet as rows of a set. */
export function sampleRows(): string {
  const agents = readdirSync(FLEET, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const rows = agents.flatMap(({ name }) =>
    readdirSync(join(FLEET, name))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => rowOf(name, basename(file, '.jsonl'), readFileSync(join(FLEET, name, file), 'utf8'))),
  );
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

function rowOf(agent: string, id: string, text: string): RunRow {
  const steps = new Map<string, RunStep>();
  const row: RunRow = { id, agent_id: agent, project: agent, harness: 'claude-code', steps: [] };
  for (const one of text.split('\n')) {
    const line = Line.safeParse(parseJson(one)).data;
    if (line === undefined) continue;
    const { content, model } = line.message;
    row.started_at ??= line.timestamp;
    row.ended_at = line.timestamp;
    row.model ??= model;
    if (typeof content === 'string') row.task ??= content;
    for (const part of typeof content === 'string' ? [] : content) {
      const result = steps.get(part.tool_use_id ?? '');
      const said = typeof part.content === 'string' ? part.content : JSON.stringify(part.content);
      if (part.type === 'tool_use') steps.set(part.id ?? '', { tool: part.name ?? '', args: part.input });
      else if (result) Object.assign(result, part.is_error ? { ok: false, error: said } : { ok: true, obs: said });
    }
  }
  return { ...row, steps: [...steps.values()] };
}
