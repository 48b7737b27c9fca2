import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { importerFor } from '../../capture/formats/foreign-formats.js';
import { workingDirectoryIn } from '../../capture/formats/working-directory.js';
import { agentNameFor, sessionAgentName } from '../../capture/report/agent-name.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { identifierToSend, reportToSend } from '../../capture/report/sent-report.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { NewSkillUse } from '../../skills/delivery/skill-use.schema.js';
import { invalidArgument } from '../terminal/cli-error.js';
import { conversationOf, readConversation, withoutOtherEvents } from './event-folder.js';
import { judgementsOf } from './judgements.js';
import { isStoredPart, isStoredSession, readStoredSession } from './opencode-storage.js';

export type AgentPer = 'project' | 'file';

const MAX_BYTES = 256 * 1024 * 1024;
const SUBAGENTS = 'subagents';
const GEMINI_CHATS = 'chats';
const TRIAL_RESULT = 'result.json';

export interface DerivedFile {
  readonly file: string;
  /** The format as it was named or detected; undefined if the file was not read. */
  readonly format?: string;
  /** The working directory that the records name. Only a hash and its last folder leave this machine. */
  readonly cwd?: string;
  /** The reports with the agent of each. They are redacted before they leave this machine. */
  readonly reports: readonly { readonly agent: string; readonly report: ExecutionReport }[];
  /** Uses of skills in these executions, of any origin. */
  readonly uses: readonly { readonly agent: string; readonly skill: string; readonly use: NewSkillUse }[];
  readonly badLines: number;
  /** The reason why the file was not read. */
  readonly unreadReason?: string;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}

/** File names of transcripts in any format, without the `.meta.json` files of Claude Code sub-agents. */
const ANY_FORMAT = /(?:(?<!\.meta)\.jsonl?|\.traj)$/;
const JSON_LINES = /\.jsonl$/;
/** Databases in which programs keep sessions. They are named, because they are not read. */
const DATABASE = /[\\/](?:opencode[\w-]{0,40}\.db|state\.vscdb|chats[\\/].{1,500}[\\/]store\.db)$/;
const DATABASE_REASON = 'a database of sessions; export them from the program';

/**
 * Every .jsonl file in the given files and folders (with `anyFormat` also .json and .traj), each once, sorted, with the
 * files of sub-agents last; of a conversation with a file for each event, the first. Throws if a path does not exist.
 */
export async function transcriptFiles(paths: readonly string[], anyFormat = false): Promise<string[]> {
  const found = new Set<string>();
  const names = anyFormat ? ANY_FORMAT : JSON_LINES;
  for (const path of paths) for (const file of await filesBelow(path, names)) found.add(await realpath(file));
  const isSubagent = (file: string): boolean => parentSessionOf(file) !== undefined;
  const sorted = [...found].sort((a, b) => Number(isSubagent(a)) - Number(isSubagent(b)) || compareText(a, b));
  return withoutOtherEvents(sorted);
}

async function filesBelow(path: string, names: RegExp): Promise<string[]> {
  const full = resolve(path);
  const facts = await stat(full).catch(() => undefined);
  if (!facts) throw invalidArgument(`No such file or folder: ${path}`);
  if (facts.isFile()) return [full];
  const entries = await readdir(full, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => (names.test(file) || DATABASE.test(file)) && !isStoredPart(file));
}

export interface ReaderOptions {
  readonly agentPer: AgentPer;
  /** Without it, the format is detected for each file. */
  readonly format?: string | undefined;
  /** The agent of all files, if the caller knows it. */
  readonly agent?: string | undefined;
}

/** Derives reports from transcripts one by one and remembers their sessions, so that sub-agents find their parent. */
export class TranscriptReader {
  private readonly executionOfSession = new Map<string, string>();
  private readonly seenToolUses = new Set<string>();

  constructor(private readonly options: ReaderOptions) {}

  async read(file: string): Promise<DerivedFile> {
    if (await hasTrajectory(file)) return skipFile(file);
    if (DATABASE.test(file)) return skipFile(file, DATABASE_REASON);
    const read = await readTranscript(file);
    if ('problem' in read) return skipFile(file, read.problem);
    const lines = read.text.split('\n').filter((line) => line.trim() !== '');
    const importer = importerFor(this.options.format, lines);
    if (importer === undefined) return skipFile(file, lines.length === 0 ? 'empty file' : 'unknown format');
    const parentSession = parentSessionOf(file);
    const parentExecutionId = parentSession && this.executionOfSession.get(parentSession);
    const { format } = importer;
    const project = format === 'gemini' ? await geminiProject(file) : undefined;
    const cwd = workingDirectoryIn(lines, format) ?? project;
    const { reports, agents, skillUses, counts, omitted } = importer.derive(lines, {
      sessionHint: basename(conversationOf(file) ?? file).replace(ANY_FORMAT, ''),
      seenToolUses: this.seenToolUses,
      recordedAt: read.modifiedAt,
      taskIds: namesOf(file),
      judgements: await judgementsOf(file),
      ...(project === undefined || cwd === undefined ? {} : { cwd }),
      ...(parentExecutionId ? { parentExecutionId } : {}),
    });
    const agent = this.options.agent ?? agentOf(file, cwd, format, this.options.agentPer);
    const agentOfExecution = (id: string): string => this.options.agent ?? agents?.get(id) ?? agent;
    const sanitised = reports.map((report) => ({
      agent: agentOfExecution(report.executionId),
      ...reportToSend(this.withParent(report)),
    }));
    const unusable = sanitised.filter(({ usable }) => !usable).length;
    return {
      file,
      format,
      ...(cwd === undefined ? {} : { cwd }),
      badLines: counts.badLines,
      skipped:
        unusable === 0 ? omitted : [...omitted, { reason: 'nothing readable left after redaction', count: unusable }],
      uses: skillUses.flatMap(({ executionId, outcome, uses }) =>
        uses.map(({ skill, event, at }) => ({
          ...{ agent: agentOfExecution(executionId), skill },
          use: { executionId: identifierToSend(executionId), event, at, outcome },
        })),
      ),
      reports: sanitised.flatMap((one) => (one.usable ? [{ agent: one.agent, report: one.report }] : [])),
    };
  }

  /** Replaces a parent's session id, which the format names, by the id of the execution derived from that session. */
  private withParent(report: ExecutionReport): ExecutionReport {
    const { sessionId, executionId, parentExecutionId: parent } = report;
    if (sessionId && !parent) this.executionOfSession.set(sessionId, executionId);
    const known = parent && this.executionOfSession.get(parent.replace(/^[\w-]{1,40}:/, ''));
    return known ? { ...report, parentExecutionId: known } : report;
  }
}

/** Names by which a benchmark may know the task of the file: its own, and those of its folders. */
function namesOf(file: string): string[] {
  const folder = dirname(file);
  return [basename(file).replace(ANY_FORMAT, ''), basename(folder), basename(dirname(folder))];
}

/** The session whose folder holds the file of a sub-agent, of Claude Code or of Gemini CLI. */
function parentSessionOf(file: string): string | undefined {
  const folder = dirname(file);
  if (basename(folder) === SUBAGENTS) return basename(dirname(folder));
  return basename(dirname(folder)) === GEMINI_CHATS ? basename(folder) : undefined;
}

function agentOf(file: string, cwd: string | undefined, format: string, agentPer: AgentPer): string {
  if (format === 'claude-code' && agentPer === 'file') return agentNameFor('file', file, cwd);
  // Other formats store files by date or by trial, so the working directory names the project.
  const trial = trialFolder(file);
  if (agentPer === 'file') return agentNameFor('project', trial ?? file.replace(ANY_FORMAT, ''), cwd);
  return sessionAgentName(format, { file: trial ?? file, cwd }) ?? 'project';
}

/** The project of a session file of Gemini CLI, which names it in the folder above its chats. */
async function geminiProject(file: string): Promise<string | undefined> {
  const chats = basename(dirname(file)) === GEMINI_CHATS ? dirname(file) : dirname(dirname(file));
  const text = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => undefined);
  return text?.trim() || undefined;
}

/** The folder of one run among those of its batch, or of a conversation among others. */
function trialFolder(file: string): string | undefined {
  const folder = dirname(file);
  const conversation = conversationOf(file);
  if (conversation !== undefined) return conversation;
  // <batch>/<instance>/<instance>.traj
  if (/\.traj(?:\.json)?$/.test(file) && basename(file).replace(/\.traj(?:\.json)?$/, '') === basename(folder))
    return folder;
  if (basename(folder) === 'agent') return dirname(folder);
  return basename(file) === TRIAL_RESULT ? folder : undefined;
}

/** A trial's result counts as an execution only if the trial has no trajectory. */
async function hasTrajectory(file: string): Promise<boolean> {
  if (basename(file) !== TRIAL_RESULT) return false;
  const names = ['trajectory.json', join('agent', 'trajectory.json')];
  const found = await Promise.all(names.map((name) => stat(join(dirname(file), name)).catch(() => undefined)));
  return found.some((facts) => facts?.isFile() === true);
}

/** A file that is too large, protected or deleted must not end the import of the others. */
async function readTranscript(file: string): Promise<{ text: string; modifiedAt: string } | { problem: string }> {
  try {
    const { size, mtime } = await stat(file);
    const isTooLarge = { problem: 'larger than 256 MiB' };
    if (size > MAX_BYTES) return isTooLarge;
    if (isStoredSession(file)) return await readStoredSession(file);
    const conversation = conversationOf(file);
    const text =
      conversation === undefined ? await readFile(file, 'utf8') : await readConversation(conversation, MAX_BYTES);
    return text === undefined ? isTooLarge : { text, modifiedAt: mtime.toISOString() };
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'larger than 256 MiB' };
    const code = typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
    return { problem: `unreadable${code}` };
  }
}

const skipFile = (file: string, reason?: string): DerivedFile => ({
  file,
  reports: [],
  uses: [],
  badLines: 0,
  ...(reason === undefined ? {} : { unreadReason: reason }),
  skipped: reason === undefined ? [] : [{ reason, count: 1 }],
});
