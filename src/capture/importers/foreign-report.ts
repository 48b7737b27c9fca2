import { ExecutionReport, REPORT_LIMITS, type ToolCall, type Verification } from '../report/execution-report.schema.js';
import { endingOf, type ForeignEnd } from './foreign-end.js';
import type { ImportTally } from './import-tally.js';
import { sourcesOf } from './task-sources.js';

/** What every importer finds out about an execution, in one form. */
export interface ForeignExecution {
  readonly executionId: string;
  /** The same words for every project: the title is part of the origin, and one task in three projects is one origin. */
  readonly taskTitle: string;
  /** `taskHash` of the task's text, or of what tells it apart where the text is not there. */
  readonly task: string;
  /** Hashes of what else fed it. */
  readonly sources: readonly string[];
  readonly sessionId?: string | undefined;
  readonly parentExecutionId?: string | undefined;
  readonly model?: string | undefined;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  readonly end: ForeignEnd;
  /** Of the failure that ended it, clipped as `clipErrorText` does. */
  readonly errorMessage?: string | undefined;
  /** Left out where nobody but the agent says how it went: then nobody knows. */
  readonly verification?: Verification | undefined;
  readonly qualityScore?: number | undefined;
  readonly calls: readonly ToolCall[];
  readonly retryCount: number;
  /** Undefined where the records do not tell: unknown is not zero. */
  readonly turnCount?: number | undefined;
  readonly tags: readonly string[];
}

/** The report of it, or undefined with the reason in the tally. */
export function foreignReport(execution: ForeignExecution, tally: ImportTally): ExecutionReport | undefined {
  const { calls, end, sources, tags, task, retryCount, verification, model, ...rest } = execution;
  tally.omit('tool call beyond the limit of a report', calls.length - REPORT_LIMITS.toolCalls);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const parsed = ExecutionReport.safeParse({
    ...Object.fromEntries(given),
    ...endingOf(end),
    taskId: `task-${task.slice(0, 16)}`,
    sources: sourcesOf(task, sources),
    verification: verification ?? { outcome: 'none' },
    toolCalls: calls.slice(0, REPORT_LIMITS.toolCalls),
    retryCount,
    maxRetries: retryCount,
    ...(model === undefined || model.trim() === '' ? {} : { model: model.slice(0, REPORT_LIMITS.category) }),
    tags: tags.slice(0, REPORT_LIMITS.tags).map((tag) => tag.slice(0, REPORT_LIMITS.tag)),
  });
  if (parsed.success) return parsed.data;
  tally.omit(`not a valid report: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return undefined;
}

/** Ids of a record's author end up in ours, which have a bound and an alphabet. */
export function clipId(id: string): string {
  return id.replace(/[^\w.-]/g, '-').slice(0, 60);
}
