import { basename, dirname } from 'node:path';
import { importerFor } from '../../capture/formats/foreign-formats.js';
import { workingDirectoryIn } from '../../capture/formats/working-directory.js';
import { parseJson } from '../../capture/importers/import-tally.js';
import type { DerivedExecutions, TranscriptImporter } from '../../capture/importers/importer.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { identifierToSend, reportToSend } from '../../capture/report/sent-report.js';
import type { NewSkillUse } from '../../skills/delivery/skill-use.schema.js';
import { MAX_HELD, readFailure, type Source, withoutEnding } from '../sources/source.js';
import { MAX_LINE, openSource, type SourceText } from '../sources/source-text.js';
import { fileSource, parentSessionOf } from '../sources/transcript-files.js';
import { FolderJudgements } from './judgements.js';
import { type AgentPer, agentOf, geminiProject, hasTrajectory } from './transcript-agent.js';

export interface DerivedReport {
  readonly agent: string;
  readonly report: ExecutionReport;
}

export interface DerivedFile {
  readonly file: string;
  /** The format as it was named or detected; undefined if the file was not read. */
  readonly format?: string;
  /** The working directory that the records name. Only a hash and its last folder leave this machine. */
  readonly cwd?: string;
  /** The reports with the agent of each. They are redacted before they leave this machine. */
  readonly reports: readonly DerivedReport[];
  /** Uses of skills in these executions, of any origin. */
  readonly uses: readonly { readonly agent: string; readonly skill: string; readonly use: NewSkillUse }[];
  readonly badLines: number;
  /** The reason why the file was not read. */
  readonly unreadReason?: string;
  /** Set for a log or a text that is no transcript. */
  readonly isOther?: true;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}

/** Lines that are read to detect a format, and their characters together. */
const HEAD_LINES = 50;
const MAX_HEAD = 4_000_000;
const TOO_LARGE = 'larger than 256 MiB';

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
  /** The first lines, if they are enough to know the format. */
  readonly head: readonly string[];
}

/** Derives reports from transcripts one by one and remembers their sessions, so that sub-agents find their parent. */
export class TranscriptReader {
  private readonly executionOfSession = new Map<string, string>();
  private readonly seenToolUses = new Set<string>();
  private readonly derivedIds = new Set<string>();
  private readonly judgements = new FolderJudgements();

  /** `onRead`: while a source is read, with the number of its bytes that have been read. */
  constructor(
    private readonly options: ReaderOptions,
    private readonly onRead: (bytes: number) => void = () => undefined,
  ) {}

  /** A source, or the path of a file, that is too large, protected or deleted does not end the import of the others. */
  async read(of: Source | string): Promise<DerivedFile> {
    const source = typeof of === 'string' ? await fileSource(of) : of;
    if (await hasTrajectory(source.path)) return skipFile(source.path);
    try {
      const text = openSource(source, this.onRead);
      try {
        return await this.readText(source, text);
      } finally {
        text.close();
      }
    } catch (error) {
      const reason = readFailure(error);
      if (reason === undefined) throw error;
      return skipFile(source.path, reason);
    }
  }

  private async readText(source: Source, text: SourceText): Promise<DerivedFile> {
    const { importer, head } = recognised(this.options.format, source, text);
    if (importer === undefined)
      return source.isOfAnyContent === true
        ? { ...skipFile(source.path), isOther: true }
        : skipFile(source.path, unknownReason(head, text));
    if (importer.byLine !== true && text.size > MAX_HELD) return skipFile(source.path, TOO_LARGE);
    const reading = { source, text, importer, head };
    const cwd = await this.workingDirectory(reading);
    const derived = await this.derive(reading, cwd);
    if (text.hasChanged()) return skipFile(source.path, 'changed while it was read');
    return this.derivedFile(reading, cwd, derived);
  }

  private async workingDirectory({ source, importer, head }: Reading) {
    const project = importer.format === 'gemini' ? await geminiProject(source.path) : undefined;
    return { named: project, cwd: workingDirectoryIn(head, importer.format) ?? project };
  }

  private async derive(
    { source, text, importer }: Reading,
    { named, cwd }: { named: string | undefined; cwd: string | undefined },
  ): Promise<DerivedExecutions> {
    const parentSession = parentSessionOf(source.path);
    const parentExecutionId = parentSession && this.executionOfSession.get(parentSession);
    const context = {
      sessionHint: withoutEnding(basename(source.path)),
      recordedAt: text.modifiedAt,
      taskIds: namesOf(source.path),
      judgements: await this.judgements.of(source.path),
      ...(named === undefined || cwd === undefined ? {} : { cwd }),
      ...(parentExecutionId ? { parentExecutionId } : {}),
    };
    const lines = () => text.lines(importer.byLine === true ? MAX_LINE : MAX_HELD);
    const derived = importer.derive(lines(), { ...context, seenToolUses: this.seenToolUses });
    // A copy of a file has all its calls in common with it. Read alone, it gives the same report, which is known.
    const isCopy = derived.reports.length > 0 && derived.reports.every((one) => this.derivedIds.has(one.executionId));
    for (const { executionId } of derived.reports) this.derivedIds.add(executionId);
    return isCopy ? importer.derive(lines(), { ...context, seenToolUses: new Set() }) : derived;
  }

  private derivedFile(
    { source, text, importer: { format } }: Reading,
    { cwd }: { cwd: string | undefined },
    { reports, agents, skillUses, counts, omitted }: DerivedExecutions,
  ): DerivedFile {
    const agent = this.options.agent ?? agentOf(source.path, cwd, format, this.options.agentPer);
    const agentOfExecution = (id: string): string => this.options.agent ?? agents?.get(id) ?? agent;
    const sanitised = reports.map((report) => ({
      agent: agentOfExecution(report.executionId),
      ...reportToSend(this.withParent(report)),
    }));
    const unusable = sanitised.filter(({ usable }) => !usable).length;
    const nothingLeft = { reason: 'nothing readable left after redaction', count: unusable };
    return {
      file: source.path,
      format,
      ...(cwd === undefined ? {} : { cwd }),
      badLines: counts.badLines,
      skipped: [...omitted, ...text.lost(), ...(unusable === 0 ? [] : [nothingLeft])],
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

/** Names by which a benchmark may know the task of the source: its own, and those of its folders. */
function namesOf(path: string): string[] {
  const folder = dirname(path);
  return [withoutEnding(basename(path)), basename(folder), basename(dirname(folder))];
}

/** The importer of the text, and its first lines. Reads the whole only if the beginning is no record of a known format. */
function recognised(
  format: string | undefined,
  source: Source,
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
    head.push(line);
    length += line.length;
  }
  const importer = importerFor(format, head);
  const isAllRead = isWhole && text.lost().length === 0;
  if (importer !== undefined || isAllRead || !mayBeDocument(source, head, text.size)) return { importer, head };
  return { importer: importerFor(format, [...text.lines(MAX_HELD)]), head };
}

/** Without a first line, that line is too long to be a record. One that is JSON is no document over several lines. */
const mayBeDocument = ({ isOfAnyContent }: Source, [first]: readonly string[], size: number): boolean =>
  isOfAnyContent !== true &&
  size <= MAX_HELD &&
  (first === undefined || (/^\s*[[{]/.test(first) && parseJson(first) === undefined));

function unknownReason(head: readonly string[], text: SourceText): string {
  const [lost] = text.lost();
  if (head.length > 0) return text.size > MAX_HELD ? `unknown format, or a document ${TOO_LARGE}` : 'unknown format';
  if (lost?.reason === 'line that is not UTF-8') return 'not UTF-8 text';
  return lost === undefined ? 'empty file' : lost.reason;
}

const skipFile = (file: string, reason?: string): DerivedFile => ({
  file,
  reports: [],
  uses: [],
  badLines: 0,
  ...(reason === undefined ? {} : { unreadReason: reason }),
  skipped: reason === undefined ? [] : [{ reason, count: 1 }],
});
