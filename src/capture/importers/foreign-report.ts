import { sha256 } from '../../platform/base/canonical-json.js';
import { optional, present } from '../../platform/base/optional.js';
import { closingChecks } from '../analysis/closing-checks.js';
import { NO_PROJECT, projectName } from '../report/agent-name.js';
import {
  ExecutionEnvironment,
  ExecutionReport,
  REPORT_LIMITS,
  type ToolCall,
  type Verification,
} from '../report/execution-report.schema.js';
import { endingOf, type ForeignEnd } from './foreign-end.js';
import type { ImportTally } from './import-tally.js';
import type { ImportContext } from './importer.js';
import { stated } from './json-fields.js';
import { type Judged, judgedOutcome } from './judged-outcome.js';
import { systemOfPath } from './observed-outputs.js';
import { sourcesOf } from './task-sources.js';

/** An execution as every importer describes it. */
export interface ForeignExecution {
  readonly executionId: string;
  /**
   * The same title for every project: the title is part of the origin, so that one task in three projects has one
   * origin.
   */
  readonly taskTitle: string;
  /** `taskHash` of the task's text, or of another identifier if the text is missing. */
  readonly task: string;
  /** Hashes of the other sources of the execution. */
  readonly sources: readonly string[];
  readonly sessionId?: string | undefined;
  readonly parentExecutionId?: string | undefined;
  readonly model?: string | undefined;
  /** Each text at most as long as it may be, and not empty. */
  readonly environment?: ExecutionEnvironment | undefined;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  readonly end: ForeignEnd;
  /** Message of the failure that ended the execution, clipped as `clipErrorText` does. */
  readonly errorMessage?: string | undefined;
  /** Undefined if the record itself holds no verdict but the agent's: then a file beside it decides. */
  readonly verification?: Verification | undefined;
  readonly qualityScore?: number | undefined;
  readonly calls: readonly ToolCall[];
  /** True if records after the last call were lost. */
  readonly endsInHole?: boolean;
  /** The keys of the calls, if the record tells. */
  readonly callKeys?: readonly string[];
  readonly retryCount: number;
  /** Undefined if the records do not say: unknown is not zero. */
  readonly turnCount?: number | undefined;
  readonly tags: readonly string[];
}

/**
 * The report of the execution; undefined if it is invalid, with the reason in the tally. Without a verification of its
 * own it has that of a file beside the transcript: by the id of its session, or by the names that the context gives.
 */
export function foreignReport(
  execution: ForeignExecution,
  tally: ImportTally,
  context: ImportContext = {},
): ExecutionReport | undefined {
  const {
    calls,
    callKeys,
    end,
    endsInHole: _hole,
    sources,
    tags,
    task,
    retryCount,
    model,
    environment,
    ...rest
  } = execution;
  const { verification, qualityScore } = judgementOf(execution, context);
  tally.omit('tool call beyond the limit of a report', calls.length - REPORT_LIMITS.toolCalls);
  const parsed = ExecutionReport.safeParse({
    ...present(rest),
    ...endingOf(end),
    taskId: `task-${task.slice(0, 16)}`,
    sources: sourcesOf(task, sources),
    verification: verification ?? { outcome: 'none' },
    ...optional('qualityScore', qualityScore),
    toolCalls: calls.slice(0, REPORT_LIMITS.toolCalls),
    ...(callKeys?.some((key) => key !== '') ? { callKeys: callKeys.slice(0, REPORT_LIMITS.toolCalls) } : {}),
    retryCount,
    maxRetries: retryCount,
    ...(model === undefined || stated(model) === undefined ? {} : { model: model.slice(0, REPORT_LIMITS.category) }),
    ...(environment === undefined ? {} : environmentField(environment)),
    tags: tags.slice(0, REPORT_LIMITS.tags).map((tag) => tag.slice(0, REPORT_LIMITS.tag)),
  });
  if (parsed.success) return parsed.data;
  tally.omit(`not a valid report: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return undefined;
}

/**
 * The verdict of the record, else that of a file beside it, else that of the agent's own checks; a verdict without a
 * score is worth 10 or 0, like the reward of a verifier.
 */
function judgementOf(execution: ForeignExecution, context: ImportContext): Judged {
  const { verification, qualityScore } = execution;
  const own = verification === undefined ? judgedBeside(execution, context) : { verification, qualityScore };
  if (own?.verification === undefined) {
    const isWhole = execution.end === 'ended' && execution.endsInHole !== true;
    const checks = isWhole ? closingChecks(execution.calls) : undefined;
    return { ...checks, ...own, ...optional('qualityScore', qualityScore) };
  }
  const score = own.verification.outcome === 'succeeded' ? 10 : own.verification.outcome === 'failed' ? 0 : undefined;
  return { verification: own.verification, qualityScore: qualityScore ?? own.qualityScore ?? score };
}

/** A sub-agent has no outcome of its own: a file judges the whole task. */
function judgedBeside(
  { sessionId, parentExecutionId }: ForeignExecution,
  { taskIds = [], judgements }: ImportContext,
): Judged | undefined {
  if (parentExecutionId !== undefined) return undefined;
  return judgedOutcome([...(sessionId === undefined ? [] : [sessionId]), ...taskIds], judgements);
}

/** The environment of an execution, from what its record and its outputs say. */
export function foreignEnvironment(
  { cwd = '', ...record }: { harness?: string | undefined; harnessVersion?: string | undefined; cwd?: string },
  observed: Pick<ExecutionEnvironment, 'operatingSystem' | 'interpreters' | 'repository'>,
): ExecutionEnvironment {
  const project = projectName(cwd);
  return present({
    ...record,
    operatingSystem: systemOfPath(cwd),
    project: project === NO_PROJECT ? undefined : project,
    ...observed,
  });
}

/** The environment without what is empty or not a plain name: a record may hold any text there. */
function environmentField(environment: ExecutionEnvironment): { environment?: ExecutionEnvironment } {
  const entries = Object.entries(environment).filter(
    ([, value]) => typeof value !== 'string' || /^[\p{L}\p{N}][\p{L}\p{N} ._/()+@-]{0,59}$/u.test(value),
  );
  const parsed = ExecutionEnvironment.safeParse(Object.fromEntries(entries));
  return parsed.success && entries.length > 0 ? { environment: parsed.data } : {};
}

const LONGEST_ID = 60;

/**
 * Clips an id of a foreign record to the length and alphabet of our ids. A changed id ends in a hash of the whole, so
 * that two ids never become one.
 */
export function clipId(id: string): string {
  if (/^[\w.-]*$/.test(id) && id.length <= LONGEST_ID) return id;
  return `${id.replace(/[^\w.-]/g, '-').slice(0, LONGEST_ID - 17)}-${sha256(id).slice(0, 16)}`;
}
