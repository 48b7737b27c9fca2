import { z } from 'zod';
import { type Call, callOf } from '../../learning/calls/call.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { flag, lenient, text } from '../../platform/base/lenient.schema.js';
import { optional, present } from '../../platform/base/optional.js';
import { runsCheck, selectsChecks } from '../../untrusted/danger/check-commands.js';
import { clip } from '../../untrusted/text/clip.js';
import { NO_PROJECT, projectName } from '../report/agent-name.js';
import {
  ExecutionEnvironment,
  ExecutionReport,
  REPORT_LIMITS,
  type ToolCall,
  type Verification,
} from '../report/execution-report.schema.js';
import { endingOf, type ForeignEnd } from './foreign-end.js';
import { type ImportTally, parseDocument } from './import-tally.js';
import type { ImportContext, Judgement } from './importer.js';
import { stated } from './json-fields.js';
import { systemOfPath } from './observed-outputs.js';
import { sourcesOf } from './task-sources.js';

/** An execution as every importer describes it. */
interface ForeignExecution {
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

/** What the agent's own checks say about its work. */
interface ClosingChecks {
  readonly verification: Verification;
  /** 0 to 10: 8 if only a part of the tests was run, 9 for one whole check, 10 for several. */
  readonly qualityScore: number;
}

const BUILD = /^(?:build|compile)(?:[:_-].{0,60})?$/;

/**
 * The checks (tests, linters, builds) that passed after the last change of files. Undefined if nothing was changed, none
 * ran since, or the last run of one of them failed. A result behind a pipe or `||` says nothing. The agent chose what to
 * run, so its checks are no independent verification: they never count for a skill.
 */
export function closingChecks(calls: readonly ToolCall[]): ClosingChecks | undefined {
  let passed: Map<string, boolean> | undefined;
  for (const [at, { name, action, ok, ran, afterHole, resultLost, arguments: given }] of calls.entries()) {
    // a change after a check may have been lost
    if (afterHole === true) passed = passed && new Map();
    if (ran === false || resultLost === true) continue;
    const call = callOf({ tool: name, action, arguments: given, ok }, at);
    if (call.isEdit && call.ok !== false) passed = new Map();
    if (call.ok !== undefined) for (const check of checksIn(call)) passed?.set(check, call.ok);
  }
  if (passed === undefined || passed.size === 0 || [...passed.values()].includes(false)) return undefined;
  const checks = [...passed.keys()];
  const whole = checks.filter((check) => !check.split(' ').some((word) => selectsChecks(check.split(' '), word)));
  return {
    verification: {
      outcome: 'succeeded',
      source: 'self',
      checks: checks
        .slice(0, REPORT_LIMITS.checks)
        .map((check) => ({ name: clip(check, REPORT_LIMITS.check), ok: true })),
    },
    qualityScore: 8 + Math.min(whole.length, 2),
  };
}

/** The commands of a line that check the work, without variables in front of them. */
function checksIn({ tool, tokens, starts }: Call): string[] {
  if (tool !== 'shell') return [];
  return starts.flatMap((start, n) => {
    const end = starts[n + 1];
    const words = tokens.slice(start, end === undefined ? undefined : end - 1);
    while (/^[A-Za-z_]\w*=$/.test(words[0] ?? '')) words.splice(0, 2);
    const isCheck = runsCheck(words) || words.slice(1, 4).some((word) => BUILD.test(word));
    return isCheck ? [words.join(' ')] : [];
  });
}

const ids = lenient(z.array(z.string()).max(1_000_000));

/** What something other than the agent says about an execution. `qualityScore`: 0 to 10. */
interface Judged {
  readonly verification?: Verification | undefined;
  readonly qualityScore?: number | undefined;
}

/** Whether a task was solved, as SWE-bench's harness and others write it for one task, and who says so. */
const Verdict = z.object({
  resolved: flag,
  success: flag,
  source: z.enum(['test', 'ci', 'evaluator', 'person']).catch('test'),
  qualityScore: lenient(z.number().min(0).max(10)),
});

/** Harbor's result of one trial. */
const Trial = z.object({
  trial_name: text,
  task_name: text,
  verifier_result: z.object({ rewards: z.record(z.string(), z.unknown()) }),
});

/** The summary of a run over many tasks, by the ids of the tasks. SWE-bench's harness used the short names before 2.0. */
const Summary = z.object({ resolved_ids: ids, unresolved_ids: ids, resolved: ids });

/**
 * What the files beside a transcript say about the task with one of these ids: the nearest one that names it. A verdict
 * that names no task counts only if the transcript is the only one in its folder. Undefined if none says anything; a
 * task that a summary does not list is not judged.
 */
export function judgedOutcome(taskIds: readonly string[], judgements: readonly Judgement[] = []): Judged | undefined {
  for (const { text, isOfOne } of judgements) {
    const document = parseDocument([text]);
    const named = taskIds.map((id) => verdictOf(z.record(z.string(), z.unknown()).safeParse(document).data?.[id]));
    const listed = named.find((one) => one !== undefined) ?? listedIn(document, taskIds);
    const judged = listed ?? (isOfOne ? verdictOf(document) : undefined);
    if (judged !== undefined) return judged;
    const reward = rewardIn(document, taskIds, isOfOne);
    if (reward !== undefined) return reward;
  }
  return undefined;
}

function rewardIn(document: unknown, taskIds: readonly string[], isOfOne: boolean): Judged | undefined {
  const { data } = Trial.safeParse(document);
  if (data === undefined) return undefined;
  const isNamed = [data.trial_name, data.task_name].some((name) => name !== undefined && taskIds.includes(name));
  return isNamed || isOfOne ? rewardOf(data.verifier_result.rewards) : undefined;
}

/** What a verifier's rewards say: 1 is success, 0 is failure, and a value between them is a score without a verdict. */
export function rewardOf(rewards: Readonly<Record<string, unknown>>): Judged | undefined {
  const reward =
    'reward' in rewards || Object.keys(rewards).length !== 1 ? rewards['reward'] : Object.values(rewards)[0];
  if (typeof reward !== 'number' || !Number.isFinite(reward)) return undefined;
  const quality = reward >= 0 && reward <= 1 ? { qualityScore: reward * 10 } : {};
  if (reward >= 1) return { ...quality, verification: { outcome: 'succeeded', source: 'reward' } };
  return reward <= 0 ? { ...quality, verification: { outcome: 'failed', source: 'reward' } } : quality;
}

function verdictOf(value: unknown): Judged | undefined {
  const { data } = Verdict.safeParse(value);
  const solved = data?.resolved ?? data?.success;
  if (data === undefined || solved === undefined) return undefined;
  const { source, qualityScore } = data;
  return { ...verdict(solved, source), ...optional('qualityScore', qualityScore) };
}

function listedIn(document: unknown, taskIds: readonly string[]): Judged | undefined {
  const { data } = Summary.safeParse(document);
  const isIn = (list: readonly string[] | undefined) => list?.some((id) => taskIds.includes(id)) === true;
  if (isIn(data?.resolved_ids) || isIn(data?.resolved)) return verdict(true);
  return isIn(data?.unresolved_ids) ? verdict(false) : undefined;
}

const verdict = (solved: boolean, source: Verification['source'] = 'test'): Judged => ({
  verification: { outcome: solved ? 'succeeded' : 'failed', source },
});
