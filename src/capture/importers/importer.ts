import type { ExecutionReport } from '../report/execution-report.schema.js';
import type { ExecutionSkillUses } from '../report/skill-use.js';
import type { Fields } from './json-fields.js';

/** A file that a test, a verifier or a benchmark wrote beside a transcript: one of `JUDGEMENT_FILES`. */
export interface Judgement {
  readonly name: string;
  readonly text: string;
  /** No other transcript is in its folder, so that a verdict without an id is about this one. */
  readonly isOfOne: boolean;
}

export const JUDGEMENT_FILES = ['result.json', 'report.json', 'results.json'] as const;

/** Context of an import. It never names the reporter: the credential does. */
export interface ImportContext {
  /** Session id for records without one, such as the file's name without its extension. */
  readonly sessionHint?: string | undefined;
  /** Working directory, if the caller knows it better than the records. */
  readonly cwd?: string | undefined;
  /** For the separate file of a sub-agent: the execution that started it, if the caller imported that first. */
  readonly parentExecutionId?: string | undefined;
  /** When the records were written, for formats without a time. ISO 8601. */
  readonly recordedAt?: string | undefined;
  /** Names by which files beside the transcript may know its task, such as those of its file and folders. */
  readonly taskIds?: readonly string[] | undefined;
  /** Files beside the transcript that may judge how it ended, the nearest first. */
  readonly judgements?: readonly Judgement[] | undefined;
  /** The same lines, for an importer that must know where each session ends before it reads them. */
  readonly ahead?: Iterable<string> | undefined;
}

export interface ImportCounts {
  readonly lines: number;
  /** Lines that are not a JSON object or not a readable record. They are counted and never fatal. */
  readonly badLines: number;
}

/** One execution of a foreign file. */
export interface DerivedExecution {
  readonly report: ExecutionReport;
  /** Its agent, for formats whose records name one. */
  readonly agent?: string | undefined;
  /** Set if a skill was offered, loaded or applied. */
  readonly skillUses: readonly ExecutionSkillUses[];
}

/** What was read of one foreign file, with the number of omitted records by reason. */
export interface ReadCounts {
  readonly counts: ImportCounts;
  readonly omitted: { reason: string; count: number }[];
}

/** All reports derived from one foreign file. */
export interface DerivedExecutions extends ReadCounts {
  readonly reports: ExecutionReport[];
  /** By the id of an execution, its agent, for formats whose records name one. */
  readonly agents?: ReadonlyMap<string, string>;
  /** Skill uses of the reports in which a skill was offered, loaded or applied. */
  readonly skillUses: ExecutionSkillUses[];
}

/**
 * Strategy: one implementation per foreign transcript format. Pure: reads its lines and no file, clock or network. Most are
 * made by `sessionImporter`.
 */
export interface TranscriptImporter {
  readonly format: string;
  /** Whether a line, or a file that is one document, is a record of this format. The first importer that says so reads. */
  recognises(record: Fields): boolean;
  /**
   * Set if the importer asks for one line after the other and keeps none of them, so that a file of any size can be read;
   * as a function of the first line, for formats that can be a document too. All other files have a limit of 256 MiB.
   */
  readonly byLine?: true | ((firstLine: string) => boolean);
  /** Yields each execution as soon as its last record is read, and keeps none. */
  stream(lines: Iterable<string>, context?: ImportContext): Generator<DerivedExecution, ReadCounts>;
  /** The same ones together. */
  derive(lines: Iterable<string>, context?: ImportContext): DerivedExecutions;
}

/** An importer that yields its executions one by one. */
export const streamingImporter = (importer: Omit<TranscriptImporter, 'derive'>): TranscriptImporter => ({
  ...importer,
  derive: (lines, context) => collected(importer.stream(lines, context)),
});

function collected(executions: Generator<DerivedExecution, ReadCounts>): DerivedExecutions {
  const reports: ExecutionReport[] = [];
  const agents = new Map<string, string>();
  const skillUses: ExecutionSkillUses[] = [];
  for (;;) {
    const next = executions.next();
    if (next.done === true) return { reports, ...(agents.size === 0 ? {} : { agents }), skillUses, ...next.value };
    const { report, agent, skillUses: uses } = next.value;
    reports.push(report);
    if (agent !== undefined) agents.set(report.executionId, agent);
    skillUses.push(...uses);
  }
}
