import { z } from 'zod';
import type { StoredExecution } from '../src/capture/observations/observation.js';
import { ExecutionReport, REPORT_LIMITS } from '../src/capture/report/execution-report.schema.js';
import { originOf } from '../src/capture/report/origin.js';
import { sanitiseReport } from '../src/capture/report/sanitised-report.js';
import { type Proportion, wilson } from '../src/evolve/statistics/wilson.js';
import { parseJson } from '../src/platform/base/parse-json.js';
import { runDefaultCycle } from './learned-coverage.js';

/** One trial of the shared format: a task, an agent, and the tests of the task that passed. No calls. */
const Trial = z.looseObject({
  id: z.union([z.string(), z.number()]),
  agent: z.string(),
  task_id: z.union([z.string(), z.number()]),
  resolved: z.boolean().nullish(),
  failure_mode: z.string().nullish(),
  tests_passed: z.array(z.string()).nullish(),
  tests_failed: z.array(z.string()).nullish(),
  ended_at: z.string().nullish(),
});
export type Trial = z.infer<typeof Trial>;
const Tasks = z.record(z.string(), z.unknown());
const UNDATED = '2000-01-01T00:00:00.000Z';

export function taskTrials(jsonl: string): Trial[] {
  return jsonl.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const parsed = Trial.safeParse(parseJson(line));
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new Error(`line ${at + 1} is no trial: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  });
}

/**
 * Returns the texts of the tasks by id. A task may be an object with its text as \`instruction\`, \`text\` or \`task\`.
 */
export function taskTexts(json: string): Map<string, string> {
  const parsed = Tasks.safeParse(parseJson(json));
  if (!parsed.success) throw new Error('is no object of task texts by task id');
  return new Map(Object.entries(parsed.data).map(([id, task]) => [id, textOf(task)]));
}

function textOf(task: unknown): string {
  if (typeof task === 'string') return task;
  if (typeof task !== 'object' || task === null) return '';
  const fields = new Map<string, unknown>(Object.entries(task));
  const text = ['instruction', 'text', 'task', 'description'].map((key) => fields.get(key));
  return text.find((one) => typeof one === 'string') ?? '';
}

export interface ProblemClassification {
  /**
   * Pairs of task and test that at least three agents failed and that either at least three agents passed, or no agent.
   */
  readonly patterns: number;
  readonly overcome: number;
  readonly unsolved: number;
  /** Failed by three, passed by one or two: neither. */
  readonly between: number;
  /** The patterns whose verdict the cycle reports correctly. */
  readonly right: Proportion;
  /** The others whose verdict the seen trials do not show: fewer than three failed there, or one or two passed. */
  readonly undecidable: number;
  /** Correct verdicts, out of the decidable ones. */
  readonly rightOfDecidable: Proportion;
  /** Drafts of the cycle about a test that no agent passed. */
  readonly falseConfident: number;
  readonly proposals: number;
}

/**
 * Runs one cycle over \`seen\`. The expected verdicts come from \`truth\`, which may be the same trials or held-out
 * ones.
 */
export function classifyProblems(
  seen: readonly Trial[],
  truth: readonly Trial[],
  texts: ReadonlyMap<string, string>,
): ProblemClassification {
  const outcome = runDefaultCycle(seen.flatMap((trial) => executionOf(trial, texts)));
  const reported = new Map(outcome.tasks.map(({ origin, check, verdict }) => [keyOf(origin, check), verdict]));
  const counts = { overcome: 0, unsolved: 0, between: 0, right: 0, undecidable: 0 };
  const unsolvedTests = new Set<string>();
  const shown = factsOf(seen);
  for (const [key, fact] of factsOf(truth)) {
    const truth = expectedVerdict(fact);
    if (truth === undefined) continue;
    counts[truth] += 1;
    if (truth === 'between') continue;
    const { taskId, test } = fact;
    const origin = originOf(taskOf(taskId, texts));
    if (truth === 'unsolved') unsolvedTests.add(test);
    const own = shown.get(key);
    if (reported.get(keyOf(origin, test)) === truth) counts.right += 1;
    else if ((own && expectedVerdict(own)) !== truth) counts.undecidable += 1;
  }
  const { right, overcome, unsolved, between, undecidable } = counts;
  const about = outcome.drafts.filter(({ text }) =>
    [...unsolvedTests].some((test) => JSON.stringify(text).includes(test)),
  );
  return {
    patterns: overcome + unsolved,
    overcome,
    unsolved,
    between,
    right: wilson(right, overcome + unsolved),
    undecidable,
    rightOfDecidable: wilson(right, overcome + unsolved - undecidable),
    falseConfident: about.length,
    proposals: outcome.drafts.length,
  };
}

interface TestFacts {
  readonly taskId: string;
  readonly test: string;
  readonly failed: Set<string>;
  readonly passed: Set<string>;
}

/** Returns the verdict on a test by these trials; undefined if fewer than three agents failed it. */
function expectedVerdict({
  failed,
  passed,
}: Pick<TestFacts, 'failed' | 'passed'>): 'overcome' | 'unsolved' | 'between' | undefined {
  if (failed.size < 3) return undefined;
  if (passed.size === 0) return 'unsolved';
  return passed.size < 3 ? 'between' : 'overcome';
}

/** Counts the trials independently of the product. */
function factsOf(trials: readonly Trial[]): Map<string, TestFacts> {
  const facts = new Map<string, TestFacts>();
  for (const trial of trials) {
    const taskId = String(trial.task_id);
    const add = (name: string, side: 'failed' | 'passed'): void => {
      const test = name.replace(/ - .*$/s, '').trim();
      const key = keyOf(taskId, test);
      const fact = facts.get(key) ?? { taskId, test, failed: new Set(), passed: new Set() };
      fact[side].add(trial.agent);
      facts.set(key, fact);
    };
    for (const test of trial.tests_failed ?? []) add(test, 'failed');
    for (const test of trial.tests_passed ?? []) add(test, 'passed');
  }
  return facts;
}

function executionOf(trial: Trial, texts: ReadonlyMap<string, string>): StoredExecution[] {
  const names = (tests: readonly string[] | null | undefined, ok: boolean) =>
    (tests ?? []).map((name) => ({ name: name.slice(0, REPORT_LIMITS.check), ok }));
  const checks = [...names(trial.tests_failed, false), ...names(trial.tests_passed, true)].slice(
    0,
    REPORT_LIMITS.checks,
  );
  const at = Number.isNaN(Date.parse(trial.ended_at ?? '')) ? UNDATED : (trial.ended_at ?? UNDATED);
  const judged = typeof trial.resolved === 'boolean';
  const report = ExecutionReport.parse({
    ...taskOf(String(trial.task_id), texts),
    executionId: String(trial.id),
    taskId: String(trial.task_id).slice(0, REPORT_LIMITS.id),
    startedAt: at,
    finishedAt: at,
    status: trial.resolved === true ? 'completed' : 'failed',
    verification: judged
      ? { outcome: trial.resolved ? 'succeeded' : 'failed', source: 'test', ...(checks.length > 0 ? { checks } : {}) }
      : { outcome: 'none' },
    terminationReason: (trial.failure_mode ?? 'ended').slice(0, REPORT_LIMITS.id) || 'ended',
    toolCalls: [],
    retryCount: 0,
    maxRetries: 0,
  });
  const sanitised = sanitiseReport(report);
  if (!sanitised.usable) return [];
  const { agent } = trial;
  return [
    {
      id: String(trial.id),
      agentId: agent,
      agentName: agent,
      owner: agent,
      rootExecutionKey: `${agent}:${trial.id}`,
      origin: originOf(sanitised.report),
      finishedAt: sanitised.report.finishedAt,
      report: sanitised.report,
    },
  ];
}

function taskOf(taskId: string, texts: ReadonlyMap<string, string>): { taskTitle: string; taskDescription: string } {
  return {
    taskTitle: taskId.slice(0, REPORT_LIMITS.title),
    taskDescription: (texts.get(taskId) ?? '').slice(0, REPORT_LIMITS.description),
  };
}

const keyOf = (task: string, test: string): string => JSON.stringify([task, test]);
