import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { agentNameFor, claudeCodeImporter } from '../capture/claude-code.importer.js';
import type { ExecutionReport } from '../capture/execution-report.schema.js';
import { sanitiseReport } from '../capture/sanitised-report.js';
import type { NewSkillUse } from '../skills/skill-use.schema.js';

export type AgentPer = 'project' | 'file';

const MAX_BYTES = 256 * 1024 * 1024;
const SUBAGENTS = 'subagents';

export interface Derived {
  readonly file: string;
  /** The reports, redacted before they leave this machine, each with the agent that it is reported for. */
  readonly reports: readonly { readonly agent: string; readonly report: ExecutionReport }[];
  /** What they did with skills, whosever those are. */
  readonly uses: readonly { readonly agent: string; readonly skill: string; readonly use: NewSkillUse }[];
  readonly badLines: number;
  readonly left: readonly { readonly reason: string; readonly count: number }[];
}

/** Every .jsonl file below the given files and folders, each once, in order, the files of sub-agents last. */
export async function transcriptFiles(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) for (const file of await below(path)) found.add(await realpath(file));
  const isSubagent = (file: string): boolean => basename(dirname(file)) === SUBAGENTS;
  return [...found].sort((a, b) => Number(isSubagent(a)) - Number(isSubagent(b)) || (a < b ? -1 : 1));
}

async function below(path: string): Promise<string[]> {
  const full = resolve(path);
  const facts = await stat(full).catch(() => undefined);
  if (!facts) throw new Error(`There is no file or folder "${path}".`);
  if (facts.isFile()) return [full];
  const entries = await readdir(full, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Derives reports from one transcript after the other; remembers the sessions, so that sub-agents find their parent. */
export class TranscriptReader {
  private readonly executionOfSession = new Map<string, string>();
  private readonly seenToolUses = new Set<string>();

  constructor(private readonly agentPer: AgentPer) {}

  async read(file: string): Promise<Derived> {
    const text = await textOf(file);
    if (typeof text !== 'string') return leave(file, text.left);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const parentSession = basename(dirname(file)) === SUBAGENTS ? basename(dirname(dirname(file))) : undefined;
    const parentExecutionId = parentSession && this.executionOfSession.get(parentSession);
    const { reports, skillUses, counts, left } = claudeCodeImporter.derive(lines, {
      sessionHint: basename(file, '.jsonl'),
      seenToolUses: this.seenToolUses,
      ...(parentExecutionId ? { parentExecutionId } : {}),
    });
    for (const { sessionId, executionId, parentExecutionId: parent } of reports)
      if (sessionId && !parent) this.executionOfSession.set(sessionId, executionId);
    const agent = this.agentOf(file, lines);
    const sanitised = reports.map(sanitiseReport);
    const unusable = sanitised.filter(({ usable }) => !usable).length;
    return {
      file,
      badLines: counts.badLines,
      left: unusable === 0 ? left : [...left, { reason: 'nothing readable is left after redaction', count: unusable }],
      uses: skillUses.flatMap(({ executionId, outcome, uses }) =>
        uses.map(({ skill, event, at }) => ({ agent, skill, use: { executionId, event, at, outcome } })),
      ),
      reports: sanitised.flatMap((one) => (one.usable ? [{ agent, report: one.report }] : [])),
    };
  }

  private agentOf(file: string, lines: readonly string[]): string {
    const cwd = workingDirectory(lines);
    if (this.agentPer === 'file') return agentNameFor('file', file, cwd);
    const folder = dirname(file);
    const project = basename(folder) === SUBAGENTS ? dirname(dirname(folder)) : folder;
    return agentNameFor('project', project, cwd);
  }
}

/** One file that is too large, protected or gone meanwhile must not end the import of the others. */
async function textOf(file: string): Promise<string | { left: string }> {
  try {
    const { size } = await stat(file);
    return size > MAX_BYTES ? { left: 'file is larger than 256 MiB' } : await readFile(file, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
    return { left: `file cannot be read${code}` };
  }
}

const leave = (file: string, reason: string): Derived => ({
  file,
  reports: [],
  uses: [],
  badLines: 0,
  left: [{ reason, count: 1 }],
});

/** The first working directory that the records name; only its last folder goes into the agent's name. */
function workingDirectory(lines: readonly string[]): string | undefined {
  for (const line of lines.slice(0, 50)) {
    const match = line.match(/"cwd":("(?:[^"\\]|\\.){1,1000}")/);
    if (!match?.[1]) continue;
    try {
      return String(JSON.parse(match[1]));
    } catch {
      return undefined;
    }
  }
  return undefined;
}
