import type { AnalysisPayload, Obstacle } from '../../capture/analysis/payload.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import type { LessonProposer, ProposerResult } from '../model/proposer.js';

const inlineText = (text: string, max: number): string => clip(oneLine(text).replaceAll('`', "'"), max);
const timesText = (n: number): string => (n === 1 ? 'once' : `${n} times`);

/**
 * A single execution is weak evidence: enough to keep a lesson (the proposer's default minimum is 0.5), not enough to
 * trust it.
 */
const CONFIDENCE = { overcome: 0.7, open: 0.5, success: 0.6 } as const;

/**
 * Writes lessons by rules: deterministic, without a key or a network. A lesson names the failed action, its error and
 * the action that worked next, and nothing that the execution did not show.
 */
export class RulesProposer implements LessonProposer {
  readonly name = 'rules/3';

  async propose(payload: AnalysisPayload): Promise<ProposerResult> {
    const lesson = payload.kind === 'success' ? lessonFromSuccess(payload) : lessonFromFailure(payload);
    return lesson ? { outcome: 'lesson', lesson } : { outcome: 'none', reason: 'no_update' };
  }
}

function lessonFromFailure(payload: AnalysisPayload): Lesson | undefined {
  const obstacle = payload.obstacles[0];
  if (!obstacle) return lessonFromEnd(payload);
  const remedy = remedyOf(obstacle);
  const taskContext = taskContextOf(payload);
  return remedy ? overcomeLesson(obstacle, remedy, taskContext) : unresolvedLesson(obstacle, taskContext);
}

/** Returns the task as half a sentence. */
function taskContextOf({ task }: AnalysisPayload): string {
  const type = inlineText(task.type ?? '', 60);
  return `in a task like "${inlineText(task.title, 150)}"${type === '' ? '' : ` (${type})`}`;
}

interface Remedy {
  /** What to do instead, as half a sentence. */
  readonly instead: string;
  /** What the execution showed about the remedy, as half a sentence. */
  readonly shown: string;
}

function remedyOf({ remedy, how }: Obstacle): Remedy | undefined {
  if (remedy === null) return undefined;
  const remedyText = inlineText(remedy, 200);
  if (how === 'omit') return { instead: 'leave it out and run the rest', shown: 'the rest succeeded without it' };
  if (how === 'relocate') {
    const by = remedyText === '' ? '' : ` with '${remedyText}'`;
    return { instead: `look up where it is${by}, then use that path`, shown: 'it succeeded on another path' };
  }
  if (remedyText === '') return undefined;
  if (how === 'prepare')
    return { instead: `run '${remedyText}' first, then try again`, shown: `it succeeded after '${remedyText}'` };
  return { instead: `use '${remedyText}' instead`, shown: `'${remedyText}' succeeded in its place` };
}

function overcomeLesson(obstacle: Obstacle, { instead, shown }: Remedy, taskContext: string): Lesson {
  const { action, error, errorClass, failures, tool } = obstacleTexts(obstacle);
  const imperative = `${instead.charAt(0).toUpperCase()}${instead.slice(1)}.`;
  return {
    discovery: `When '${action}' fails with ${errorClass}: ${instead}.`,
    activation: {
      condition: `You are about to run '${action}'${tool} ${taskContext}, or it has just failed with "${error}".`,
      action: imperative,
      rationale: `In this execution '${action}' failed ${timesText(failures)} with ${errorClass}; then ${shown}${remedyRateText(obstacle)}, and the failure did not come back.${earlierWithRemedy(obstacle)}`,
    },
    steps: [`Do not repeat '${action}' unchanged.`, imperative, 'Check that the error is gone before going on.'],
    confidence: CONFIDENCE.overcome,
    tags: tagsOf(errorClass),
  };
}

function unresolvedLesson(obstacle: Obstacle, taskContext: string): Lesson {
  const { action, error, errorClass, failures, tool } = obstacleTexts(obstacle);
  return {
    discovery: `'${action}' fails with ${errorClass}, and nothing that was tried solved it.`,
    activation: {
      condition: `You are about to run '${action}'${tool} ${taskContext}, or it has just failed with "${error}".`,
      action: `Do not repeat '${action}' unchanged; look for the cause of ${errorClass} first, and say so when there is none to find.`,
      rationale: `In this execution '${action}' failed ${timesText(failures)} with ${errorClass} and was never overcome.${earlierFailures(obstacle)}`,
    },
    steps: [
      `Read the error: "${error}".`,
      'Find its cause before trying again.',
      'Report the failure when the cause is out of reach.',
    ],
    confidence: CONFIDENCE.open,
    tags: tagsOf(errorClass),
  };
}

function lessonFromEnd(payload: AnalysisPayload): Lesson | undefined {
  const error = inlineText(payload.errorMessage ?? '', 200) || inlineText(payload.errorCategory ?? '', 200);
  if (error === '') return undefined;
  const title = inlineText(payload.task.title, 150);
  const retried = payload.retryCount === 0 ? '' : `, and was retried ${timesText(payload.retryCount)}`;
  return {
    discovery: `A task like "${title}" ended as ${payload.status} with "${error}".`,
    activation: {
      condition: `The task is like "${title}".`,
      action: `Expect "${error}" and deal with its cause early.`,
      rationale: `This execution ended as ${payload.status} (${inlineText(payload.terminationReason, 100)}) with "${error}"${retried}.`,
    },
    steps: [`Check for the cause of "${error}" before the main work.`, 'Stop and report when it cannot be removed.'],
    confidence: CONFIDENCE.open,
    tags: tagsOf(payload.errorCategory ?? ''),
  };
}

function lessonFromSuccess(payload: AnalysisPayload): Lesson | undefined {
  const calls = payload.calls.filter(({ ok }) => ok);
  const steps = [...new Set(calls.map(({ name, action }) => inlineText(`${name}: ${action}`, 300)))].slice(0, 20);
  if (steps.length === 0) return undefined;
  const [overcame] = payload.obstacles.flatMap((obstacle) => {
    const remedy = remedyOf(obstacle);
    return remedy ? [`'${inlineText(obstacle.action, 200)}' failed; then ${remedy.shown}`] : [];
  });
  return {
    discovery: `A verified way through tasks like "${inlineText(payload.task.title, 200)}", in ${steps.length} kinds of calls.`,
    activation: {
      condition: `The task is like "${inlineText(payload.task.title, 200)}".`,
      action: `Follow the order of calls that worked: ${inlineText(steps.slice(0, 5).join(', then '), 1_000)}.`,
      rationale: overcame
        ? `The execution was verified as successful; on the way ${overcame}.`
        : 'The execution was verified as successful by something other than the agent.',
    },
    steps,
    confidence: CONFIDENCE.success,
    tags: ['verified-success'],
  };
}

function obstacleTexts({ action, error, errorClass, failures, tool }: Obstacle) {
  const name = inlineText(tool ?? '', 60);
  return {
    action: inlineText(action, 200),
    error: inlineText(error, 200),
    errorClass: inlineText(errorClass, 60),
    failures,
    tool: name === '' ? '' : ` with ${name}`,
  };
}

/** Returns how often the remedy worked, if it was tried more than once. */
function remedyRateText({ tried = 0, worked = 0 }: Obstacle): string {
  return tried > 1 ? `, in ${worked} of ${tried} tries` : '';
}

/** Returns a sentence on the failures in earlier executions of the same agent. */
function earlierFailures({ earlier }: Obstacle): string {
  if (!earlier) return '';
  return ` It failed so in ${executionsText(earlier.executions)} of this agent as well.`;
}

function earlierWithRemedy(obstacle: Obstacle): string {
  const { tried = 0, worked = 0 } = obstacle.earlier ?? {};
  const there = tried === 0 ? 'The same was not tried there.' : `The same worked there in ${worked} of ${tried} tries.`;
  return obstacle.earlier ? `${earlierFailures(obstacle)} ${there}` : '';
}

const executionsText = (n: number): string => (n === 1 ? 'one earlier execution' : `${n} earlier executions`);

function tagsOf(text: string): string[] {
  const tag = inlineText(text, 60);
  return tag === '' ? [] : [tag];
}
