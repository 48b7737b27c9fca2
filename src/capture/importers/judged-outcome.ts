import { z } from 'zod';
import { flag, lenient, text } from '../../platform/base/lenient.schema.js';
import { optional } from '../../platform/base/optional.js';
import type { Verification } from '../report/execution-report.schema.js';
import { parseDocument } from './import-tally.js';
import type { Judgement } from './importer.js';

const ids = lenient(z.array(z.string()).max(1_000_000));

/** What something other than the agent says about an execution. `qualityScore`: 0 to 10. */
export interface Judged {
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
