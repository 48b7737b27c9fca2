import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { importerFor, repositoryFactsIn, workingDirectoryIn } from '../../capture/formats/foreign-formats.js';
import { LOST_LINE, parseJson } from '../../capture/importers/import-tally.js';
import type {
  DerivedExecution,
  ImportContext,
  ReadCounts,
  TranscriptImporter,
} from '../../capture/importers/importer.js';
import { agentNameFor, type ProjectFacts, sessionAgentName } from '../../capture/report/agent-name.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { identifierToSend, reportToSend } from '../../capture/report/sent-report.js';
import { optional } from '../../platform/base/optional.js';
import type { NewSkillUse } from '../../skills/delivery/skill-use.schema.js';
import { MAX_HELD, readFailure, type Source, withoutEnding } from '../sources/source.js';
import { MAX_LINE, openSource, type SourceText } from '../sources/source-text.js';
import { fileSource, parentSessionOf } from '../sources/transcript-files.js';
import { FolderJudgements } from './judgements.js';
import { ofProject, SessionProjects } from './session-projects.js';

interface DerivedReport {
  readonly agent: string;
  readonly report: ExecutionReport;
}

/** A report of a source, with what the source says of it. It is redacted. */
export interface ReadExecution extends DerivedReport {
  readonly format: string;
  /** Uses of skills in the execution, of any origin. */
  readonly uses: readonly { readonly agent: string; readonly skill: string; readonly use: NewSkillUse }[];
}

/** What was read of a source besides its reports. */
export interface ReadFile {
  readonly file: string;
  /** The format as it was named or detected; undefined if the file was not read. */
  readonly format?: string;
  /** The working directory that the records name. Only a hash and its last folder leave this machine. */
  readonly cwd?: string;
  readonly badLines: number;
  /** The reason why the file was not read. */
  readonly unreadReason?: string;
  /** Set if the caller wanted no more of it. */
  readonly isStopped?: true;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}

/** A source with all its reports. */
export interface DerivedFile extends ReadFile {
  readonly reports: readonly DerivedReport[];
  readonly uses: ReadExecution['uses'];
}

/** Takes a report as soon as its last record is read. Returns whether the source is read on. */
type TakeExecution = (execution: ReadExecution) => Promise<boolean>;

export interface ReaderOptions {
  readonly agentPer: AgentPer;
  /** Without it, the format is detected for each file. */
  readonly format?: string | undefined;
  /** The agent of all files, if the caller knows it. */
  readonly agent?: string | undefined;
}

/** What a source is read with. */
interface Reading {
  readonly source: Source;
  readonly text: SourceText;
  readonly importer: TranscriptImporter;
  readonly isByLine: boolean;
  /** The first lines, if they are enough to know the format. */
  readonly head: readonly string[];
}

type Folder = { readonly named: string | undefined; readonly project: ProjectFacts };
type Take = (execution: DerivedExecution) => Promise<boolean>;

/** Derives reports from transcripts one by one and remembers their sessions, so that sub-agents find their parent. */
export class TranscriptReader {
  private readonly executionOfSession = new Map<string, string>();
  private readonly agentOfExecution = new Map<string, string>();
  private readonly judgements = new FolderJudgements();
  private readonly projects: SessionProjects;

  /** `onRead`: while a source is read, with the number of its bytes that have been read. `sources`: all of the import. */
  constructor(
    private readonly options: ReaderOptions,
    private readonly onRead: (bytes: number) => void = () => undefined,
    sources: readonly Source[] = [],
  ) {
    this.projects = new SessionProjects(sources);
  }

  /** Reads a source as `readEach` does, and keeps its reports: for a source that holds one session. */
  async read(of: Source | string): Promise<DerivedFile> {
    const executions: ReadExecution[] = [];
    const read = await this.readEach(of, async (one) => executions.push(one) > 0);
    const whole = read.unreadReason === undefined ? executions : [];
    return {
      ...read,
      reports: whole.map(({ agent, report }) => ({ agent, report })),
      uses: whole.flatMap(({ uses }) => uses),
    };
  }

  /**
   * Hands on each report of a source as soon as it is complete, and keeps none. A source, or the path of a file, that is too
   * large, protected or deleted does not end the import of the others.
   */
  async readEach(of: Source | string, take: TakeExecution): Promise<ReadFile> {
    const source = typeof of === 'string' ? await fileSource(of) : of;
    if (await hasTrajectory(source.path)) return skipFile(source.path);
    try {
      const text = openSource(source, this.onRead);
      try {
        return await this.readText(source, text, take);
      } finally {
        text.close();
      }
    } catch (error) {
      const reason = readFailure(error);
      if (reason === undefined) throw error;
      return skipFile(source.path, reason);
    }
  }

  private async readText(source: Source, text: SourceText, take: TakeExecution): Promise<ReadFile> {
    const { importer, head } = recognised(this.options.format, text);
    if (importer === undefined) return skipFile(source.path, unknownReason(head, text));
    const [first] = head;
    const isByLine =
      typeof importer.byLine === 'function' ? first !== undefined && importer.byLine(first) : importer.byLine === true;
    if (!isByLine && text.size > MAX_HELD) return skipFile(source.path, TOO_LARGE);
    return this.readRecords({ source, text, importer, isByLine, head }, take);
  }

  private async readRecords(reading: Reading, take: TakeExecution): Promise<ReadFile> {
    const { source, text, importer } = reading;
    const folder = await this.workingDirectory(reading);
    let unusable = 0;
    const counts = await readThrough(reading, await this.contextOf(reading, folder), async (derived) => {
      const one = this.toSend(derived, reading, folder);
      if (one === undefined) unusable += 1;
      return one === undefined || (await take(one));
    });
    if (counts === 'changed') return skipFile(source.path, 'changed while it was read');
    const nothingLeft = { reason: 'nothing readable left after redaction', count: unusable };
    return {
      file: source.path,
      format: importer.format,
      ...optional('cwd', folder.project.cwd),
      ...(counts === 'stopped' ? { badLines: 0, isStopped: true } : { badLines: counts.counts.badLines }),
      skipped: [
        ...(counts === 'stopped' ? [] : [...counts.omitted, ...text.lost()]),
        ...(unusable === 0 ? [] : [nothingLeft]),
      ],
    };
  }

  private async workingDirectory({ source, importer, head }: Reading): Promise<Folder> {
    const { format } = importer;
    const named = format === 'gemini' ? await geminiProject(source.path) : undefined;
    const cwd = workingDirectoryIn(head, format) ?? named;
    return { named, project: await this.projects.of(cwd, repositoryFactsIn(head, format)) };
  }

  private async contextOf({ source, text }: Reading, { named, project: { cwd } }: Folder): Promise<ImportContext> {
    const parentSession = parentSessionOf(source.path);
    const parentExecutionId = parentSession && this.executionOfSession.get(parentSession);
    return {
      sessionHint: withoutEnding(basename(source.path)),
      recordedAt: text.modifiedAt,
      taskIds: namesOf(source.path),
      judgements: await this.judgements.of(source.path),
      ...(named === undefined || cwd === undefined ? {} : { cwd }),
      ...(parentExecutionId ? { parentExecutionId } : {}),
    };
  }

  /** The execution as it leaves this machine; undefined if redaction leaves nothing readable of it. */
  private toSend(
    { report: raw, agent: recorded, skillUses }: DerivedExecution,
    { source, importer: { format } }: Reading,
    { project }: Folder,
  ): ReadExecution | undefined {
    const { agent: named, agentPer } = this.options;
    const report = ofProject(this.withParent(raw), project);
    // A sub-agent is no agent, wherever it works.
    const ofParent = this.agentOfExecution.get(report.parentExecutionId ?? '');
    const agent = named ?? recorded ?? ofParent ?? agentOf(source.path, project, format, agentPer);
    this.agentOfExecution.set(report.executionId, agent);
    const sanitised = reportToSend(report);
    if (!sanitised.usable) return undefined;
    const uses = skillUses.flatMap(({ executionId, outcome, uses: each }) =>
      each.map(({ skill, event, at }) => ({
        agent,
        skill,
        use: { executionId: identifierToSend(executionId), event, at, outcome },
      })),
    );
    // A part of a text keeps the whole record in memory.
    return structuredClone({ agent, report: sanitised.report, format, uses });
  }

  /** Replaces a parent's session id, which the format names, by the id of the execution derived from that session. */
  private withParent(report: ExecutionReport): ExecutionReport {
    const { sessionId, executionId, parentExecutionId: parent } = report;
    if (sessionId && !parent) this.executionOfSession.set(sessionId, executionId);
    const known = parent && this.executionOfSession.get(parent.replace(/^[\w-]{1,40}:/, ''));
    return known ? { ...report, parentExecutionId: known } : report;
  }
}

/** Reads a source from its beginning to its end, or until it is rewritten or nothing more of it is wanted. */
async function readThrough(
  { text, importer, isByLine }: Reading,
  context: ImportContext,
  take: Take,
): Promise<ReadCounts | 'changed' | 'stopped'> {
  const maxLine = isByLine ? MAX_LINE : MAX_HELD;
  const executions = importer.stream(text.lines(maxLine), { ...context, ahead: text.linesAhead(maxLine) });
  for (let isWanted = true; ; ) {
    const next = executions.next();
    if (text.hasChanged()) return 'changed';
    if (next.done === true) return next.value;
    if (!isWanted) return 'stopped';
    isWanted = await take(next.value);
  }
}

/** Names by which a benchmark may know the task of the source: its own, and those of its folders. */
function namesOf(path: string): string[] {
  const folder = dirname(path);
  return [withoutEnding(basename(path)), basename(folder), basename(dirname(folder))];
}

const skipFile = (file: string, reason?: string): ReadFile => ({
  file,
  badLines: 0,
  ...optional('unreadReason', reason),
  skipped: reason === undefined ? [] : [{ reason, count: 1 }],
});

/** Lines that are read to detect a format, and their characters together. */
const HEAD_LINES = 50;
const MAX_HEAD = 4_000_000;
const TOO_LARGE = 'larger than 256 MiB';

/** The importer of the text, and its first lines. Reads the whole only if the beginning is no record of a known format. */
function recognised(
  format: string | undefined,
  text: SourceText,
): { importer: TranscriptImporter | undefined; head: readonly string[] } {
  const head: string[] = [];
  let length = 0;
  let isWhole = true;
  for (const line of text.lines(MAX_LINE)) {
    if (head.length === HEAD_LINES || length > MAX_HEAD) {
      isWhole = false;
      break;
    }
    if (line !== LOST_LINE) head.push(line);
    length += line.length;
  }
  const importer = importerFor(format, head);
  const isAllRead = isWhole && text.lost().length === 0;
  if (importer !== undefined || isAllRead || !mayBeDocument(head, text.size)) return { importer, head };
  return {
    importer: importerFor(
      format,
      [...text.lines(MAX_HELD)].filter((line) => line !== LOST_LINE),
    ),
    head,
  };
}

/** Without a first line, that line is too long to be a record. One that is JSON is no document over several lines. */
const mayBeDocument = ([first]: readonly string[], size: number): boolean =>
  size <= MAX_HELD && (first === undefined || (/^\s*[[{]/.test(first) && parseJson(first) === undefined));

function unknownReason(head: readonly string[], text: SourceText): string {
  const [lost] = text.lost();
  if (head.length > 0) return text.size > MAX_HELD ? `unknown format, or a document ${TOO_LARGE}` : 'unknown format';
  if (lost?.reason === 'line that is not UTF-8') return 'not UTF-8 text';
  return lost === undefined ? 'empty file' : lost.reason;
}

export type AgentPer = 'project' | 'file';

const GEMINI_CHATS = 'chats';
const TRIAL_RESULT = 'result.json';

/** The agent of a transcript. */
function agentOf(file: string, project: ProjectFacts, format: string, agentPer: AgentPer): string {
  const { cwd } = project;
  if (format === 'claude-code' && agentPer === 'file') return agentNameFor('file', withoutPacking(file), cwd);
  // Other formats store files by date or by trial, so the working directory names the project.
  const trial = trialFolder(file);
  if (agentPer === 'file') return agentNameFor('project', trial ?? withoutEnding(file), cwd);
  return sessionAgentName(format, { ...project, file: trial ?? file }) ?? 'project';
}

/** A packed transcript is of the same agent as before. */
const withoutPacking = (file: string): string => file.replace(/\.(?:gz|zst)$/i, '');

/** The project of a session file of Gemini CLI, which names it in the folder above its chats. */
async function geminiProject(file: string): Promise<string | undefined> {
  const chats = basename(dirname(file)) === GEMINI_CHATS ? dirname(file) : dirname(dirname(file));
  const text = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => undefined);
  return text?.trim() || undefined;
}

/** The folder of one run among those of its batch. */
function trialFolder(file: string): string | undefined {
  const folder = dirname(file);
  // <batch>/<instance>/<instance>.traj
  if (/\.traj(?:\.json)?(?:\.gz|\.zst)?$/.test(file) && withoutEnding(basename(file)) === basename(folder))
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
