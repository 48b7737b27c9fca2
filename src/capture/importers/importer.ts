import type { ExecutionReport } from '../report/execution-report.schema.js';
import type { ExecutionSkillUses } from '../report/skill-use.js';

/** What an importer may be told; nothing of it names the reporter (spec L1: the credential does). */
export interface ImportContext {
  /** A session id for records that carry none, such as the file's name without its extension. */
  readonly sessionHint?: string | undefined;
  /** Working directory, where the caller knows it better than the records. */
  readonly cwd?: string | undefined;
  /** For a sub-agent's own file: the execution that started it, where the caller has imported that first. */
  readonly parentExecutionId?: string | undefined;
  /** When the records were written, for formats that have no time in them. ISO 8601. */
  readonly recordedAt?: string | undefined;
  /** The text of the file that says how it went, where the format has one beside it (Harbor's `result.json`). */
  readonly companion?: string | undefined;
  /** Tool calls, and answers under a skill, of earlier files: a resumed or forked session repeats them. Added to. */
  readonly seenToolUses?: Set<string> | undefined;
}

export interface ImportCounts {
  readonly lines: number;
  /** Lines that are no JSON object or no readable record; counted, never fatal. */
  readonly badLines: number;
  readonly skippedRecords: Readonly<Record<string, number>>;
}

/** Reports derived from one foreign file, with everything that was left out counted by its reason. */
export interface DerivedExecutions {
  readonly reports: ExecutionReport[];
  /** Of those reports in which a skill was offered, loaded or applied. */
  readonly skillUses: ExecutionSkillUses[];
  readonly counts: ImportCounts;
  readonly omitted: { reason: string; count: number }[];
}

/** Strategy: one implementation per foreign transcript format. Pure over its lines: no file, clock or network. */
export interface TranscriptImporter {
  readonly format: string;
  derive(lines: Iterable<string>, context?: ImportContext): DerivedExecutions;
}
