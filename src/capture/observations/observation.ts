import { failingAction, parseAction } from '../actions/action.js';
import { type Attribution, attribute, isLearnable } from '../errors/attribution.js';
import { classifyError, readError } from '../errors/error-class.js';
import { type ErrorKind, errorKind, failedLater, failureStage, kindTool, missingPathIn } from '../errors/error-kind.js';
import { type Check, checksOf } from '../report/check.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import { type ProjectKind, projectKind } from './project-kind.js';
import { type Approach, approachOf, type FailedCall, isRecurrence, type ParsedCall, sameGoal } from './trial.js';
import { usedActions } from './usage.js';
import { stepsBefore, stepsBetween, type Workflow, windowsAround, workflowOf } from './workflow.js';

/** A stored execution as the evolver reads it. */
export interface StoredExecution extends Omit<Support, 'root'> {
  id: string;
  agentName: string;
  /** Own execution id, or that of the top of the parent chain. */
  rootExecutionKey: string;
  /** ISO 8601. */
  finishedAt: string;
  report: Pick<ExecutionReport, 'toolCalls' | 'verification' | 'status' | 'model' | 'tags' | 'taskType'>;
}

/** One execution that supports a pattern: who reported it, for whom, from which task text and which parent task. */
export interface Support {
  agentId: string;
  owner: string;
  /** Hash of the normalised task text together with the hashed sources of the report (spec E1.3). */
  origin: string;
  /** The execution itself, or the top of its parent chain. */
  root: string;
}

/** A later call with the same goal, and whether the failure was overcome by it. */
export interface Trial extends Omit<Approach, 'program'> {
  worked: boolean;
  /** Where it is the same action again: the steps in between, as {@link stepsBetween} has them. */
  after?: string;
  /** What had been done right before the failure, as {@link stepsBefore} has it; of episodes by action and class. */
  before?: string;
}

/**
 * How finely failures are told apart: by the kind of error alone, whatever the action (`kind`); by the program alone,
 * whatever the error (`program`); by action and error class; by the error's template as well; or by the action's flags
 * and operands. Every failure is observed at all that apply, and the miner later keeps one.
 */
export type Granularity = 'kind' | 'program' | 'class' | 'template' | 'fine';
export const GRANULARITIES: readonly Granularity[] = ['kind', 'program', 'class', 'template', 'fine'];

/** All failures of one kind in one execution, with what was tried against them. */
export interface Episode {
  granularity: Granularity;
  tool: string;
  purpose: string;
  coarse: string;
  fine: string;
  errorClass: string;
  template: string;
  /** The program that failed, and the kind of its error where that has a name. */
  program: string;
  kind?: ErrorKind;
  failures: number;
  trials: Trial[];
  /** Short windows of calls around the failure (spec E1.2 b), coarse, the failed one marked with `!`. */
  windows: string[];
}

/** Plain data, far smaller than the report: it may be stored beside it. */
export interface ExecutionObservations {
  executionId: string;
  agentName: string;
  model: string | undefined;
  /** What kind of project it worked in, where that can be told. */
  project?: ProjectKind;
  support: Support;
  finishedAt: string;
  /** Somebody else than the agent says that the execution reached its goal. */
  verified: boolean;
  /** What somebody else than the agent checked; a bare outcome is one check without a name. */
  checks: Check[];
  episodes: Episode[];
  /** Failures that say nothing about procedure (spec L3), by attribution. */
  excludedFailures: { cause: Attribution; calls: number }[];
  /** What it did, where somebody else says how it ended. */
  workflow?: Workflow;
  /** Distinct actions used, coarse and fine, as {@link usageKey}: the denominator of confidence. */
  used: string[];
}

/** How far a remedy is looked for, and how long the failure must stay away after it, in calls (spec E1.4). */
export const OBSERVATION_SETTINGS = { remedyWithin: 5, quietFor: 5, trialsPerApproach: 3, episodes: 500 } as const;

/** Stored observations have the version of the rules that made them. Raise it with every change of what they give. */
export const OBSERVATION_VERSION = 4;

/** Reads one execution into episodes of failure with their trials (spec E1.4). Linear in the calls. */
export function observe(execution: StoredExecution): ExecutionObservations {
  const notTeaching = new Map<Attribution, number>();
  const calls = execution.report.toolCalls.map((call, index) => readCall(call, index, notTeaching));
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
    excludedFailures: [...notTeaching].map(([cause, count]) => ({ cause, calls: count })),
    used: [...usedActions(calls)],
    ...workflowOf(
      verification,
      calls.filter((call) => !('excused' in call)),
    ),
  };
}

type Call = ParsedCall | FailedCall | ExcusedCall;
/** Failed for a reason that teaches no procedure: neither a failure of the action nor a trial of a remedy. */
interface ExcusedCall extends ParsedCall {
  excused: true;
}

function readCall(call: ToolCall, index: number, notTeaching: Map<Attribution, number>): Call {
  const action = parseAction(call.name, call.action);
  const base: ParsedCall = { index, ok: call.ok, shape: action.shape, text: call.action };
  if (call.ok) return base;
  const message = call.errorMessage ?? '';
  const read = readError(message);
  const cause = attribute({ message, read, category: call.errorCategory, tool: call.name, action: call.action });
  if (!isLearnable(cause)) {
    notTeaching.set(cause, (notTeaching.get(cause) ?? 0) + 1);
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

function isFailed(call: Call): call is FailedCall {
  return 'failing' in call;
}

function episodesOf(calls: readonly Call[]): Episode[] {
  const byKey = new Map<string, { granularity: Granularity; failures: FailedCall[] }>();
  for (const call of calls) {
    if (!isFailed(call)) continue;
    for (const granularity of GRANULARITIES) {
      const identity = identityOf(call, granularity);
      if (identity === undefined) continue;
      const key = JSON.stringify([granularity, toolOf(call, granularity), ...identity]);
      const known = byKey.get(key);
      if (known) known.failures.push(call);
      else if (byKey.size < OBSERVATION_SETTINGS.episodes) byKey.set(key, { granularity, failures: [call] });
    }
  }
  return [...byKey.values()].flatMap(({ granularity, failures }) => episodeOf(granularity, failures, calls));
}

/** Tools that read and search files are one where the kind of error is all that matters; other tools have no kinds. */
function toolOf({ failing }: FailedCall, granularity: Granularity): string | undefined {
  return granularity === 'kind' ? kindTool(failing.tool, failing.purpose) : failing.tool;
}

/** What one episode of a granularity has in common; undefined where the granularity says nothing of this call. */
function identityOf(call: FailedCall, granularity: Granularity): string[] | undefined {
  const { failing, shape, errorClass: name, template } = call;
  switch (granularity) {
    case 'kind': {
      const kind = toolOf(call, granularity) === undefined ? undefined : errorKind(name, template);
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
  // By the index of the later call: one remedy counts once however many failures precede it (spec E1.4).
  const trials = new Map<number, Trial>();
  for (const failed of failures) collectTrials(failed, calls, granularity, trials);
  const kind = errorKind(first.errorClass, first.template);
  return [
    {
      granularity,
      tool: toolOf(first, granularity) ?? first.failing.tool,
      purpose: first.failing.purpose,
      coarse: first.failing.coarse,
      fine: first.failing.fine,
      errorClass: first.errorClass,
      template: first.template,
      program: first.failing.program,
      ...(kind ? { kind } : {}),
      failures: failures.length,
      trials: limitTrials([...trials.values()]),
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
  const end = failed.index + OBSERVATION_SETTINGS.remedyWithin;
  for (let at = failed.index + 1; at <= end; at++) {
    const later = calls[at];
    if (!later) return;
    if (!sameGoal(failed, later) || 'excused' in later) continue;
    if (!isConclusive(failed, later)) continue;
    const worked = later.ok && !recurs(failed, later, calls);
    const between = calls.slice(failed.index + 1, at);
    const approach = atGranularity(approachOf(failed, later, between), failed, granularity);
    const isNarrow = granularity !== 'kind' && granularity !== 'program';
    const after = isNarrow && approach.how === 'repeat' ? stepsBetween(failed, between) : undefined;
    const before = granularity === 'class' ? stepsBefore(failed, calls) : undefined;
    trials.set(at, { ...approach, worked, ...(after ? { after } : {}), ...(before ? { before } : {}) });
    if (later.ok) return;
  }
}

/** A pattern of a whole program tells programs apart and nothing finer; one of any action has no action to vary. */
function atGranularity(
  { program, ...approach }: Approach,
  failed: FailedCall,
  granularity: Granularity,
): Omit<Approach, 'program'> {
  const { how, coarse } = approach;
  if (granularity === 'program' && (how === 'repeat' || how === 'replace'))
    return { how: program === failed.failing.program ? 'repeat' : how, coarse: program, fine: program };
  if (granularity !== 'kind') return approach;
  if (how === 'relocate') return { ...approach, coarse: toolOf(failed, granularity) ?? coarse };
  return how === 'replace' && coarse === failed.failing.coarse ? { ...approach, how: 'repeat' } : approach;
}

/**
 * `pytest | head` is ok whatever pytest did, `cd nowhere && pytest` never ran it, and what was found and started and only
 * then failed has passed the failure without reaching the goal: none of them tells anything.
 */
function isConclusive(failed: FailedCall, later: Call): boolean {
  if (later.ok) return !later.shape.masksExit;
  if (!isFailed(later)) return true;
  if (failedLater(failureStage(failed.errorClass, failed.template), failureStage(later.errorClass, later.template)))
    return false;
  if (later.failing.coarse === later.shape.coarse) return true;
  return later.failing.coarse === failed.failing.coarse;
}

function recurs(failed: FailedCall, remedy: ParsedCall, calls: readonly Call[]): boolean {
  const after = calls.slice(remedy.index + 1, remedy.index + 1 + OBSERVATION_SETTINGS.quietFor);
  return after.some((call) => isFailed(call) && isRecurrence(failed, call));
}

/** One execution that tries a thing fifty times must not outweigh fifty executions. */
function limitTrials(trials: readonly Trial[]): Trial[] {
  const seen = new Map<string, number>();
  return trials.filter((trial) => {
    const key = JSON.stringify([trial.how, trial.coarse]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count <= OBSERVATION_SETTINGS.trialsPerApproach;
  });
}

function nameOf(call: Call | undefined): string | undefined {
  return call && (isFailed(call) ? `${call.failing.coarse}!` : `${call.shape.coarse}${call.ok ? '' : '!'}`);
}
