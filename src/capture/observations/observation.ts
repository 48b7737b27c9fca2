import { casesOf, triesAfter } from '../../learning/recoveries/case.js';
import { outcomeOf } from '../../learning/recoveries/own-remedy.js';
import { FOREIGN_SOURCE } from '../../learning/recoveries/refused-remedy.js';
import { failingAction, parseAction } from '../actions/action.js';
import { type Attribution, attribute, isLearnable } from '../errors/attribution.js';
import { classifyError, readError } from '../errors/error-class.js';
import type { CallOutcomes } from '../report/call-lineage.js';
import type { ExecutionReport, ToolCall, Verification } from '../report/execution-report.schema.js';
import { attemptsAfter } from './attempts.js';
import { type Episode, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { learningCalls } from './learning-calls.js';
import { type ProjectKind, projectKind } from './project-kind.js';
import { type Call, type FailedCall, failureKey, isFailed, type ParsedCall } from './trial.js';
import { usedActions } from './usage.js';

export type { Episode, Trial } from './episode.js';

/** A stored execution as the evolver reads it. */
export interface StoredExecution extends Omit<Support, 'root'> {
  id: string;
  agentName: string;
  /** The execution's own key, or the key of the top of its parent chain. */
  rootExecutionKey: string;
  /** ISO 8601. */
  finishedAt: string;
  report: Pick<
    ExecutionReport,
    'toolCalls' | 'callKeys' | 'verification' | 'status' | 'model' | 'tags' | 'taskType' | 'environment'
  >;
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

/** What was observed in an execution. Plain data, much smaller than the report, stored beside it. */
export interface ExecutionObservations {
  executionId: string;
  agentName: string;
  model: string | undefined;
  /** The kind of project that the execution worked in, if it is known. */
  project?: ProjectKind;
  /** The project's label: the repository or the project of the environment, else the tag `project:…`. */
  projectName?: string;
  support: Support;
  finishedAt: string;
  /** The checks by something other than the agent; a bare outcome is one check without a name. */
  checks: Check[];
  episodes: Episode[];
  /** Failures that are not learnable, counted by attribution. */
  excludedFailures: { cause: Attribution; calls: number }[];
  /** The judged calls of each tool other than a shell, and how many of them failed. */
  toolResults?: ToolResult[];
  /** Distinct actions of the execution, as {@link usageKey}: the denominator of confidence. */
  used: string[];
  /** By their keys, the failed calls that a later call of the record got past, whether or not they count in it. */
  outcomes?: CallOutcomes;
}

/** Calls of one tool in an execution. A failure that is not learnable is not judged. */
interface ToolResult {
  tool: string;
  calls: number;
  failed: number;
}

const MOST_TOOLS = 50;

/** Version of the rules that made stored observations. Raise it with every change of their result. */
export const OBSERVATION_VERSION = 15;

/**
 * Observes one execution: its failures as episodes, with the remedies that were tried. Calls that count in another
 * session only show what came before and after. Linear in the number of calls.
 */
export function observe(execution: StoredExecution): ExecutionObservations {
  const calls = parsedCalls(execution.report);
  const counted = calls.filter(({ copied }) => copied !== true);
  const project = projectKind(execution.report, calls);
  return {
    executionId: execution.id,
    agentName: execution.agentName,
    model: execution.report.model,
    ...(project ? { project } : {}),
    ...projectNameOf(execution.report),
    support: {
      agentId: execution.agentId,
      owner: execution.owner,
      origin: execution.origin,
      root: execution.rootExecutionKey,
    },
    finishedAt: execution.finishedAt,
    checks: checksOf(execution.report.verification),
    episodes: episodesOf(execution.report.toolCalls, calls),
    excludedFailures: excludedFailuresOf(counted),
    toolResults: toolResultsOf(counted),
    used: [...usedActions(counted)],
    ...outcomesOf(execution.report, calls),
  };
}

/** Of the whole record, so that what counts elsewhere does not change it. Empty if it says what no call is. */
function outcomesOf(
  { toolCalls, callKeys }: StoredExecution['report'],
  calls: readonly Call[],
): { outcomes?: CallOutcomes } {
  if (callKeys === undefined || toolCalls.every(({ ok }) => ok)) return {};
  const isWhole = calls.every(({ copied }) => copied !== true);
  const whole = isWhole ? toolCalls : toolCalls.map(({ copied: _, ...call }: ToolCall) => call);
  const outcomes: Record<string, number> = {};
  for (const one of casesOf(learningCalls(whole, isWhole ? calls : parsedCalls({ toolCalls: whole })))) {
    const [key, { kind }] = [callKeys[one.failed.at] ?? '', outcomeOf(one)];
    if (key !== '' && kind !== 'open') outcomes[key] = kind === 'overcome' ? 2 : 1;
  }
  return Object.keys(outcomes).length === 0 ? {} : { outcomes };
}

/** The project of a report by its label; empty if it names none. */
export function projectNameOf({ environment, tags = [] }: StoredExecution['report']): { projectName?: string } {
  const tagged = tags.find((tag) => tag.startsWith('project:'))?.slice('project:'.length);
  const projectName = (environment?.repository ?? environment?.project ?? tagged)?.trim();
  return projectName ? { projectName } : {};
}

function toolResultsOf(calls: readonly Call[]): ToolResult[] {
  const results = new Map<string, ToolResult>();
  for (const call of calls) {
    if ('excused' in call || call.shape.tool === 'shell') continue;
    const { tool } = call.shape;
    const result = results.get(tool) ?? { tool, calls: 0, failed: 0 };
    if (!results.has(tool) && results.size >= MOST_TOOLS) continue;
    results.set(tool, { ...result, calls: result.calls + 1, failed: result.failed + ('failing' in call ? 1 : 0) });
  }
  return [...results.values()];
}

/** The calls of a report, parsed: what each does, and what failed how. Linear in the number of calls. */
export function parsedCalls({ toolCalls }: Pick<StoredExecution['report'], 'toolCalls'>): Call[] {
  const calls = toolCalls.map(parseCall);
  if (!calls.some((call) => 'excused' in call && call.failure !== undefined)) return calls;
  const read = learningCalls(toolCalls, calls);
  return calls.map((call, at) => {
    const failed = read[at];
    if (failed === undefined || !('excused' in call) || call.failure === undefined) return call;
    // A run that got past a missing right or a full disk by doing something else shows how it is done.
    const outcome = outcomeOf({ failed, tries: triesAfter(read, failed) });
    // Several such runs may teach what a single one may not.
    return outcome.kind === 'overcome' || (outcome.kind === 'passed' && outcome.because === FOREIGN_SOURCE)
      ? call.failure
      : call;
  });
}

function excludedFailuresOf(calls: readonly Call[]): ExecutionObservations['excludedFailures'] {
  const counts = new Map<Attribution, number>();
  for (const call of calls)
    if ('excused' in call && call.cause !== undefined) counts.set(call.cause, (counts.get(call.cause) ?? 0) + 1);
  return [...counts].map(([cause, count]) => ({ cause, calls: count }));
}

/** Errors of a call that did not run because of the call itself. */
const OWN_FAULT: ReadonlySet<string> = new Set(['InputValidationError', 'unknown-tool', 'file-not-read', 'bad-option']);

function parseCall(call: ToolCall, index: number): Call {
  const action = parseAction(call.name, call.action, call.arguments);
  const shown = { index, ok: call.ok, shape: action.shape, text: call.action };
  const base: ParsedCall = call.copied ? { ...shown, copied: true } : shown;
  if (call.copied && !call.ok) return { ...base, excused: true };
  if (call.ok) return call.ran === false || call.resultLost === true ? { ...base, excused: true } : base;
  const message = call.errorMessage ?? '';
  const read = readError(message);
  const cause = attribute({ message, read, category: call.errorCategory, tool: call.name, action: call.action });
  const excuse = isLearnable(cause) ? undefined : { excused: true as const, cause };
  const error = classifyError(read, call.errorCategory, call.errorLine);
  const failure = {
    ...base,
    failing: failingAction(action, message),
    errorClass: error.name,
    template: error.template,
  };
  // Refused with others, or by a person: the call itself is not to blame, unless its arguments were.
  const neverRan = (call.ran === false && !OWN_FAULT.has(error.name)) || cause === 'underspecified';
  if (neverRan) return { ...base, ...(excuse ?? { excused: true }) };
  return excuse ? { ...base, ...excuse, failure } : failure;
}

/** One check by something other than the agent. */
interface Check {
  name: string;
  ok: boolean;
}

/**
 * The checks of an execution; a bare outcome is one check without a name. Test runners append the reason to the name,
 * so `test_vat - AssertionError` becomes the check `test_vat`.
 */
export function checksOf({ outcome, source, checks }: Verification): Check[] {
  if (source === undefined || source === 'self') return [];
  if (checks === undefined || checks.length === 0)
    return outcome === 'none' ? [] : [{ name: '', ok: outcome === 'succeeded' }];
  const byName = new Map<string, boolean>();
  for (const { name, ok } of checks) {
    const plain = name.split(' - ', 1)[0]?.trim() ?? name;
    byName.set(plain, (byName.get(plain) ?? true) && ok);
  }
  return [...byName].map(([name, ok]) => ({ name, ok }));
}

/** Groups the failures of an execution. Linear in the number of calls. `calls`: those reported, parsed. */
function episodesOf(reported: readonly ToolCall[], calls: readonly Call[]): Episode[] {
  const failures = calls.filter(isFailed);
  if (failures.length === 0) return [];
  const read = learningCalls(reported, calls);
  const groups = new Map<string, [FailedCall, ...FailedCall[]]>();
  const variants = new Map<string, number>();
  for (const call of failures) {
    const action = failureKey(call);
    const key = JSON.stringify([action, call.template]);
    const known = groups.get(key);
    const count = (variants.get(action) ?? 0) + 1;
    if (known) known.push(call);
    else if (groups.size < OBSERVATION_SETTINGS.episodes && count <= OBSERVATION_SETTINGS.variants) {
      variants.set(action, count);
      groups.set(key, [call]);
    }
  }
  return [...groups.values()].map((group) => episodeOf(group, (failed) => attemptsAfter(failed, calls, read)));
}

function episodeOf(
  failures: readonly [FailedCall, ...FailedCall[]],
  attempts: (failed: FailedCall) => readonly Trial[],
): Episode {
  const [{ failing, errorClass, template }] = failures;
  // By the index of the later call: one remedy counts once, however many failures precede it.
  const trials = new Map(failures.flatMap(attempts).map((tried) => [tried.at, tried]));
  return {
    tool: failing.tool,
    coarse: failing.coarse,
    errorClass,
    template,
    failures: failures.length,
    trials: limited([...trials.values()]),
  };
}

/** Fifty tries in one execution must not outweigh fifty executions. */
function limited(trials: readonly Trial[]): Trial[] {
  const seen = new Map<string, number>();
  return trials.filter(({ features }) => {
    const key = features.join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return (seen.get(key) ?? 0) <= OBSERVATION_SETTINGS.trials;
  });
}
