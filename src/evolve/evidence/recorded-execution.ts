import { namesOfAction } from '../../capture/actions/action-shape.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import { episodeFingerprint } from '../../capture/observations/fingerprint.js';
import { learningCall } from '../../capture/observations/learning-calls.js';
import {
  type ExecutionObservations,
  parsedCalls,
  type StoredExecution,
} from '../../capture/observations/observation.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { type Call, failureOf } from '../../capture/observations/trial.js';
import type { ExecutionEnvironment, ExecutionReport, ToolCall } from '../../capture/report/execution-report.schema.js';
import { LONGEST_SHOWN_CALL } from '../../evidence/calls/shown-call.schema.js';
import type { PredicateCall } from '../../evidence/predicate/predicate-call.js';
import type { Call as LearningCall } from '../../learning/calls/call.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type FailureOutcome, failureOutcomes } from '../support/failure-outcome.js';

/** An execution with its report, of which the evidence of a draft shows calls. */
export interface ReportedExecution {
  readonly observed: ExecutionObservations;
  readonly report: StoredExecution['report'] & Pick<ExecutionReport, 'environment'>;
}

/** A call with what families and arms need. */
export interface RecordedCall extends PredicateCall {
  readonly read: LearningCall;
  /** Of a learnable failure: the template of its decisive error line, its class and its fingerprint. */
  readonly failure?: {
    readonly template: string;
    readonly errorClass: string;
    readonly fingerprint: string;
    readonly action: string;
  };
}

/** An execution as a table of calls. Plain data, made from the stored report. */
export interface RecordedExecution {
  readonly id: string;
  readonly agentId: string;
  /** Executions of one party support a lesson once: those of an agent, where agents are counted. */
  readonly party: string;
  readonly owner: string;
  readonly origin: string;
  /** ISO 8601. */
  readonly finishedAt: string;
  readonly environment: ExecutionEnvironment;
  readonly projectKind?: ProjectKind;
  readonly calls: readonly RecordedCall[];
  /** What became of the failures that have a failure in `calls`, by their place. */
  readonly outcomes: ReadonlyMap<number, FailureOutcome>;
  /** What the calls were made from. */
  readonly source: ReportedExecution;
}

/**
 * Sorts executions by what was reported of them. The same reports are read in the same order, whichever ids the database gave
 * them, since shuffles and examples depend on it.
 */
export const inOrder = (
  a: Pick<RecordedExecution, 'id' | 'origin' | 'finishedAt'>,
  b: Pick<RecordedExecution, 'id' | 'origin' | 'finishedAt'>,
): number => compareText(a.finishedAt, b.finishedAt) || compareText(a.origin, b.origin) || compareText(a.id, b.id);

export interface RecordOptions {
  /** Counts a call that only skipped a check as a success; by default its result is unknown. */
  readonly countSkippedChecks?: boolean;
  /** By default the agent. */
  readonly party?: string;
}

/** Makes the table of one execution. Pure. */
export function recordedExecution(
  source: ReportedExecution,
  { countSkippedChecks = false, party }: RecordOptions = {},
): RecordedExecution {
  const { observed, report } = source;
  const { agentId, owner, origin } = observed.support;
  const skips = countSkippedChecks ? new Set<number>() : skippingCalls(observed);
  const parsed = parsedCalls(report);
  const calls = report.toolCalls.flatMap((call, at) => {
    const own = parsed[at];
    return own ? recordedCall(call, own, skips.has(at), observed.project) : [];
  });
  let outcomes: RecordedExecution['outcomes'] | undefined;
  return {
    id: observed.executionId,
    agentId,
    party: party ?? agentId,
    owner,
    origin,
    finishedAt: observed.finishedAt,
    environment: report.environment ?? {},
    ...(observed.project ? { projectKind: observed.project } : {}),
    calls,
    // Of a control without the failure, they are asked for by no one.
    get outcomes() {
      outcomes ??= failureOutcomes(calls, () => readsOf(calls), observed.episodes);
      return outcomes;
    },
    source,
  };
}

/**
 * The calls of a report as predicates see them, before anything is known about later calls. A failure that is not
 * learnable, such as one of the environment, is no failure here.
 */
export function reportedCalls(report: Pick<ExecutionReport, 'toolCalls'>, project?: ProjectKind): RecordedCall[] {
  return parsedCalls(report).flatMap((parsed, at) => {
    const call = report.toolCalls[at];
    // Nothing says yet whether a failure of the environment passes by itself.
    return call ? [recordedCall(call, failureOf(parsed) ?? parsed, false, project)] : [];
  });
}

const reads = new WeakMap<readonly RecordedCall[], readonly LearningCall[]>();

/** The calls as the learning core reads them: one list for each table, by which the core remembers what it found. */
export function readsOf(calls: readonly RecordedCall[]): readonly LearningCall[] {
  const known = reads.get(calls) ?? calls.map(({ read }) => read);
  reads.set(calls, known);
  return known;
}

/** The places of the calls that got past a failure only by skipping a check. */
export const skippingCalls = ({ episodes }: Pick<ExecutionObservations, 'episodes'>): ReadonlySet<number> =>
  new Set(episodes.flatMap(({ trials }) => trials.flatMap((one) => (one.skipsCheck ? one.at : []))));

function recordedCall(
  call: ToolCall,
  parsed: Call,
  skipsCheck: boolean,
  project: ProjectKind | undefined,
): RecordedCall {
  const { index, shape } = parsed;
  const failed = 'failing' in parsed ? parsed : undefined;
  let read: LearningCall | undefined;
  return {
    index,
    tool: shape.tool,
    goal: goalOf(parsed),
    actions: new Set([...namesOfAction(shape), ...(failed ? [failed.failing.coarse] : [])]),
    text: shownCall(call)?.call ?? call.action.slice(0, LONGEST_SHOWN_CALL),
    ok: failed ? false : isUnknown(call, parsed) || shape.masksExit || skipsCheck ? undefined : true,
    error: failed ? (call.errorLine ?? call.errorMessage?.slice(0, 300) ?? '') : '',
    // Most calls of a window are never compared with others.
    get read() {
      read ??= learningCall(call, parsed, index);
      return read;
    },
    ...(failed
      ? {
          failure: {
            template: failed.template,
            errorClass: failed.errorClass,
            action: failed.failing.coarse,
            fingerprint: episodeFingerprint(
              { ...failed.failing, errorClass: failed.errorClass, template: failed.template },
              project,
            ),
          },
        }
      : {}),
  };
}

/** A call that counts in another session has its result there. */
const isUnknown = ({ ok }: ToolCall, parsed: Call): boolean => 'excused' in parsed || !ok || parsed.copied === true;

/** A shell call by its purpose, so that `python` and `python3` are one; another tool by its name, and SQL by its verb. */
function goalOf({ shape }: Pick<Call, 'shape'>): string {
  if (shape.tool !== 'shell') return shape.isStatement ? shape.coarse : shape.tool;
  return /^\w+:.+/.test(shape.purpose) && !/^shell:$/.test(shape.purpose) ? shape.purpose : `shell:${shape.coarse}`;
}

/**
 * The shape of a failure: the tool, the goal, the class and the template of its error. The same failure has the same
 * shape in another session. Undefined for a call that did not fail by its own fault.
 */
export const failureShape = ({ tool, goal, failure }: RecordedCall): string | undefined =>
  failure && JSON.stringify([tool, goal, failure.errorClass, failure.template]);
