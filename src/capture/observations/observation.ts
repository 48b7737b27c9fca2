import { failingAction, parseAction } from '../actions/action.js';
import { type Attribution, attribute, isLearnable } from '../errors/attribution.js';
import { classifyError, readError } from '../errors/error-class.js';
import { type ErrorKind, errorKind, kindTool, missingPathIn } from '../errors/error-kind.js';
import { type Check, checksOf } from '../report/check.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import { type ProjectKind, projectKind } from './project-kind.js';
import {
  type Approach,
  approachOf,
  type FailedCall,
  isConclusive,
  isFailed,
  isRecurrence,
  limitTrials,
  type ParsedCall,
  sameGoal,
} from './trial.js';
import { dangersOf, dangersOfRemedy, type UsedDanger } from './trial-dangers.js';
import { usedActions } from './usage.js';
import { stepsBefore, stepsBetween, type Workflow, windowsAround, workflowOf } from './workflow.js';

/** A stored execution as the evolver reads it. */
export interface StoredExecution extends Omit<Support, 'root'> {
  id: string;
  agentName: string;
  /** The execution's own key, or the key of the top of its parent chain. */
  rootExecutionKey: string;
  /** ISO 8601. */
  finishedAt: string;
  report: Pick<ExecutionReport, 'toolCalls' | 'verification' | 'status' | 'model' | 'tags' | 'taskType'>;
}

/** An execution that supports a pattern: its agent, the owner, the origin of its task and its root. */
export interface Support {
  agentId: string;
  owner: string;
  /** Hash of the normalised task text and the report's hashed sources. */
  origin: string;
  /** The execution itself, or the top of its parent chain. */
  root: string;
}

/** A later call with the same goal, and whether it overcame the failure. */
export interface Trial extends Omit<Approach, 'program'> {
  worked: boolean;
  /** Indexes into the report's calls: of the failed call, of this one, and of those between that prepared it. */
  from: number;
  at: number;
  via?: number[];
  /** For the same action again: the steps in between, as {@link stepsBetween} returns them. */
  after?: string;
  /** The steps right before the failure, as {@link stepsBefore} returns them; only at the granularity `class`. */
  before?: string;
  /** Set if the remedy turned a protection off or changed a source. One that skipped a check is no trial. */
  dangers?: UsedDanger[];
}

/**
 * How precisely failures are distinguished: by the kind of error alone, for any action (`kind`); by the program
 * alone, for any error (`program`); by action and error class (`class`); also by the error's template
 * (`template`); or also by the action's flags and operands (`fine`). Every failure is observed at each granularity that
 * applies, and the miner later keeps one.
 */
export type Granularity = 'kind' | 'program' | 'class' | 'template' | 'fine';
export const GRANULARITIES: readonly Granularity[] = ['kind', 'program', 'class', 'template', 'fine'];

/** All failures of one kind in one execution, with the remedies that were tried. */
export interface Episode {
  granularity: Granularity;
  tool: string;
  purpose: string;
  coarse: string;
  fine: string;
  errorClass: string;
  template: string;
  /** The program that failed, and the kind of its error if the kind has a name. */
  program: string;
  kind?: ErrorKind;
  failures: number;
  /** Index of the first failed call in the report. */
  at: number;
  trials: Trial[];
  /** Short sequences of calls around the failure, as coarse actions; the failed one is marked with `!`. */
  windows: string[];
}

/** What was observed in an execution. Plain data, much smaller than the report, stored beside it. */
export interface ExecutionObservations {
  executionId: string;
  agentName: string;
  model: string | undefined;
  /** The kind of project that the execution worked in, if it is known. */
  project?: ProjectKind;
  support: Support;
  finishedAt: string;
  /** True if something other than the agent confirmed that the execution reached its goal. */
  verified: boolean;
  /** The checks by something other than the agent; a bare outcome is one check without a name. */
  checks: Check[];
  episodes: Episode[];
  /** Failures that are not learnable, counted by attribution. */
  excludedFailures: { cause: Attribution; calls: number }[];
  /** The steps of the execution, if something other than the agent reported its outcome. */
  workflow?: Workflow;
  /** Distinct actions of the execution, coarse and fine, as {@link usageKey}: the denominator of confidence. */
  used: string[];
}

/**
 * How many calls after a failure a remedy may come, how many calls after it the failure must not recur, and the limits
 * of what is kept.
 */
export const OBSERVATION_SETTINGS = { remedyWithin: 5, quietFor: 5, trialsPerApproach: 3, episodes: 500 } as const;

/** Version of the rules that made stored observations. Raise it with every change of their result. */
export const OBSERVATION_VERSION = 6;

/**
 * Observes one execution: its failures as episodes, with the remedies that were tried. Linear in the number of calls.
 */
export function observe(execution: StoredExecution): ExecutionObservations {
  const excluded = new Map<Attribution, number>();
  const calls = execution.report.toolCalls.map((call, index) => parseCall(call, index, excluded));
  const { verification } = execution.report;
  const project = projectKind(execution.report, calls);
  return {
    executionId: execution.id,
    agentName: execution.agentName,
    model: execution.report.model,
    ...(project ? { project } : {}),
    support: {
      agentId: execution.agentId,
      owner: execution.owner,
      origin: execution.origin,
      root: execution.rootExecutionKey,
    },
    finishedAt: execution.finishedAt,
    verified: verification.outcome === 'succeeded' && verification.source !== 'self',
    checks: checksOf(verification),
    episodes: episodesOf(calls),
    excludedFailures: [...excluded].map(([cause, count]) => ({ cause, calls: count })),
    used: [...usedActions(calls)],
    ...workflowOf(
      verification,
      calls.filter((call) => !('excused' in call) && !(call.ok && dangersOf(call).length > 0)),
    ),
  };
}

type Call = ParsedCall | FailedCall | ExcusedCall;
/** A call that failed for a reason that is not learnable: neither a failure of the action nor a trial of a remedy. */
interface ExcusedCall extends ParsedCall {
  excused: true;
}

function parseCall(call: ToolCall, index: number, excluded: Map<Attribution, number>): Call {
  const action = parseAction(call.name, call.action);
  const base: ParsedCall = { index, ok: call.ok, shape: action.shape, text: call.action };
  if (call.ok) return base;
  const message = call.errorMessage ?? '';
  const read = readError(message);
  const cause = attribute({ message, read, category: call.errorCategory, tool: call.name, action: call.action });
  if (!isLearnable(cause)) {
    excluded.set(cause, (excluded.get(cause) ?? 0) + 1);
    return { ...base, excused: true };
  }
  const error = classifyError(read, call.errorCategory);
  return {
    ...base,
    failing: failingAction(action, message),
    errorClass: error.name,
    template: error.template,
    path: base.shape.path === '' ? missingPathIn(message) : base.shape.path,
  };
}

function episodesOf(calls: readonly Call[]): Episode[] {
  const byKey = new Map<string, { granularity: Granularity; failures: FailedCall[] }>();
  for (const call of calls) {
    if (!isFailed(call)) continue;
    for (const granularity of GRANULARITIES) {
      const identity = identityOf(call, granularity);
      if (identity === undefined) continue;
      const key = JSON.stringify([granularity, toolAt(call, granularity), ...identity]);
      const known = byKey.get(key);
      if (known) known.failures.push(call);
      else if (byKey.size < OBSERVATION_SETTINGS.episodes) byKey.set(key, { granularity, failures: [call] });
    }
  }
  return [...byKey.values()].flatMap(({ granularity, failures }) => episodeOf(granularity, failures, calls));
}

/** The tool of an episode. For kinds of error, all file tools count as one, and other tools have no kinds. */
function toolAt({ failing }: FailedCall, granularity: Granularity): string | undefined {
  return granularity === 'kind' ? kindTool(failing.tool, failing.purpose) : failing.tool;
}

/** The fields that all failures of one episode share; undefined if the granularity does not apply to this call. */
function identityOf(call: FailedCall, granularity: Granularity): string[] | undefined {
  const { failing, shape, errorClass: name, template } = call;
  switch (granularity) {
    case 'kind': {
      const kind = toolAt(call, granularity) === undefined ? undefined : errorKind(name, template);
      return kind === undefined ? undefined : [kind];
    }
    case 'program':
      return failing.tool === 'shell' && failing.program === shape.program ? [failing.program] : undefined;
    case 'class':
      return [failing.coarse, name];
    case 'template':
      return [failing.coarse, name, template];
    case 'fine':
      return [failing.coarse, name, failing.fine];
  }
}

function episodeOf(granularity: Granularity, failures: readonly FailedCall[], calls: readonly Call[]): Episode[] {
  const [first] = failures;
  if (!first) return [];
  // By the index of the later call: one remedy counts once, however many failures precede it.
  const trials = new Map<number, Trial>();
  for (const failed of failures) collectTrials(failed, calls, granularity, trials);
  const kind = errorKind(first.errorClass, first.template);
  return [
    {
      granularity,
      tool: toolAt(first, granularity) ?? first.failing.tool,
      purpose: first.failing.purpose,
      coarse: first.failing.coarse,
      fine: first.failing.fine,
      errorClass: first.errorClass,
      template: first.template,
      program: first.failing.program,
      ...(kind ? { kind } : {}),
      failures: failures.length,
      at: first.index,
      trials: limitTrials([...trials.values()], OBSERVATION_SETTINGS.trialsPerApproach),
      windows: granularity === 'class' ? windowsAround(first.index, (at) => nameOf(calls[at])) : [],
    },
  ];
}

function collectTrials(
  failed: FailedCall,
  calls: readonly Call[],
  granularity: Granularity,
  trials: Map<number, Trial>,
): void {
  for (let at = failed.index + 1; at <= failed.index + OBSERVATION_SETTINGS.remedyWithin; at++) {
    const later = calls[at];
    if (!later) return;
    if (!sameGoal(failed, later) || 'excused' in later || !isConclusive(failed, later)) continue;
    const worked = later.ok && !recurs(failed, later, calls);
    const between = calls.slice(failed.index + 1, at);
    const dangers = dangersOfRemedy(later, between);
    // A skipped check says nothing about the failure: it is neither a remedy nor a repeat.
    const isSkipped = dangers.some((danger) => danger.class === 'check');
    if (isSkipped && later.ok) return;
    if (isSkipped) continue;
    const approach = atGranularity(approachOf(failed, later, between), failed, granularity);
    const isNarrow = granularity !== 'kind' && granularity !== 'program';
    const after = isNarrow && approach.how === 'repeat' ? stepsBetween(failed, between) : undefined;
    const before = granularity === 'class' ? stepsBefore(failed, calls) : undefined;
    const found = dangers.length > 0 ? { dangers } : {};
    trials.set(at, {
      ...approach,
      worked,
      from: failed.index,
      at,
      ...(after ? { after } : {}),
      ...(before ? { before } : {}),
      ...found,
    });
    if (later.ok) return;
  }
}

/** Reduces an approach: a pattern of a whole program varies only the program, one of any action varies no action. */
function atGranularity(
  { program, ...approach }: Approach,
  failed: FailedCall,
  granularity: Granularity,
): Omit<Approach, 'program'> {
  const { how, coarse } = approach;
  if (granularity === 'program' && (how === 'repeat' || how === 'replace'))
    return { how: program === failed.failing.program ? 'repeat' : how, coarse: program, fine: program };
  if (granularity !== 'kind') return approach;
  if (how === 'relocate') return { ...approach, coarse: toolAt(failed, granularity) ?? coarse };
  return how === 'replace' && coarse === failed.failing.coarse ? { ...approach, how: 'repeat' } : approach;
}

function recurs(failed: FailedCall, remedy: ParsedCall, calls: readonly Call[]): boolean {
  const from = remedy.index + 1;
  return calls
    .slice(from, from + OBSERVATION_SETTINGS.quietFor)
    .some((call) => isFailed(call) && isRecurrence(failed, call));
}

function nameOf(call: Call | undefined): string | undefined {
  return call && (isFailed(call) ? `${call.failing.coarse}!` : `${call.shape.coarse}${call.ok ? '' : '!'}`);
}
