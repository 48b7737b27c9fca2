import type { AnalysisPayload, Obstacle } from '../../capture/analysis/payload.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import type { LessonProposer, Proposed } from '../model/proposer.js';

const say = (text: string, max: number): string => clip(oneLine(text).replaceAll('`', "'"), max);
const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

/** One execution's word: enough to keep, not enough to trust (spec L5's `minConfidence` is 0.5). */
const CONFIDENCE = { overcome: 0.7, open: 0.5, success: 0.6 } as const;

/**
 * Writes the lesson by rules: deterministic, without a key or a network. It says which action failed with what, and
 * which one worked next, and nothing that the execution did not show.
 */
export class RulesProposer implements LessonProposer {
  readonly name = 'rules/3';

  async propose(payload: AnalysisPayload): Promise<Proposed> {
    const lesson = payload.kind === 'success' ? fromSuccess(payload) : fromFailure(payload);
    return lesson ? { outcome: 'lesson', lesson } : { outcome: 'none', reason: 'no_update' };
  }
}

function fromFailure(payload: AnalysisPayload): Lesson | undefined {
  const obstacle = payload.obstacles[0];
  if (!obstacle) return fromEnd(payload);
  const remedy = remedyOf(obstacle);
  const setting = settingOf(payload);
  return remedy ? overcome(obstacle, remedy, setting) : stillOpen(obstacle, setting);
}

/** In what task it happened, as half a sentence. */
function settingOf({ task }: AnalysisPayload): string {
  const type = say(task.type ?? '', 60);
  return `in a task like "${say(task.title, 150)}"${type === '' ? '' : ` (${type})`}`;
}

interface Remedy {
  /** What to do instead, as half a sentence. */
  readonly instead: string;
  /** What the execution showed of it, as half a sentence. */
  readonly shown: string;
}

function remedyOf({ remedy, how }: Obstacle): Remedy | undefined {
  if (remedy === null) return undefined;
  const works = say(remedy, 200);
  if (how === 'omit') return { instead: 'leave it out and run the rest', shown: 'the rest succeeded without it' };
  if (how === 'relocate') {
    const by = works === '' ? '' : ` with '${works}'`;
    return { instead: `look up where it is${by}, then use that path`, shown: 'it succeeded on another path' };
  }
  if (works === '') return undefined;
  if (how === 'prepare')
    return { instead: `run '${works}' first, then try again`, shown: `it succeeded after '${works}'` };
  return { instead: `use '${works}' instead`, shown: `'${works}' succeeded in its place` };
}

function overcome(obstacle: Obstacle, { instead, shown }: Remedy, setting: string): Lesson {
  const { action, error, errorClass, failures, tool } = reading(obstacle);
  const imperative = `${instead.charAt(0).toUpperCase()}${instead.slice(1)}.`;
  return {
    discovery: `When '${action}' fails with ${errorClass}: ${instead}.`,
    activation: {
      condition: `You are about to run '${action}'${tool} ${setting}, or it has just failed with "${error}".`,
      action: imperative,
      rationale: `In this execution '${action}' failed ${times(failures)} with ${errorClass}; then ${shown}${triesOf(obstacle)}, and the failure did not come back.${earlierWithRemedy(obstacle)}`,
    },
    steps: [`Do not repeat '${action}' unchanged.`, imperative, 'Check that the error is gone before going on.'],
    confidence: CONFIDENCE.overcome,
    tags: tagsOf(errorClass),
  };
}

function stillOpen(obstacle: Obstacle, setting: string): Lesson {
  const { action, error, errorClass, failures, tool } = reading(obstacle);
  return {
    discovery: `'${action}' fails with ${errorClass}, and nothing that was tried got over it.`,
    activation: {
      condition: `You are about to run '${action}'${tool} ${setting}, or it has just failed with "${error}".`,
      action: `Do not repeat '${action}' unchanged; look for the cause of ${errorClass} first, and say so when there is none to find.`,
      rationale: `In this execution '${action}' failed ${times(failures)} with ${errorClass} and was never overcome.${earlierFailures(obstacle)}`,
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

function fromEnd(payload: AnalysisPayload): Lesson | undefined {
  const what = say(payload.errorMessage ?? '', 200) || say(payload.errorCategory ?? '', 200);
  if (what === '') return undefined;
  const title = say(payload.task.title, 150);
  const retried = payload.retryCount === 0 ? '' : `, and was retried ${times(payload.retryCount)}`;
  return {
    discovery: `A task like "${title}" ended as ${payload.status} with "${what}".`,
    activation: {
      condition: `The task is like "${title}".`,
      action: `Expect "${what}" and deal with its cause early.`,
      rationale: `This execution ended as ${payload.status} (${say(payload.terminationReason, 100)}) with "${what}"${retried}.`,
    },
    steps: [`Check for the cause of "${what}" before the main work.`, 'Stop and report when it cannot be removed.'],
    confidence: CONFIDENCE.open,
    tags: tagsOf(payload.errorCategory ?? ''),
  };
}

function fromSuccess(payload: AnalysisPayload): Lesson | undefined {
  const calls = payload.calls.filter(({ ok }) => ok);
  const steps = [...new Set(calls.map(({ name, action }) => say(`${name}: ${action}`, 300)))].slice(0, 20);
  if (steps.length === 0) return undefined;
  const [overcame] = payload.obstacles.flatMap((obstacle) => {
    const remedy = remedyOf(obstacle);
    return remedy ? [`'${say(obstacle.action, 200)}' failed; then ${remedy.shown}`] : [];
  });
  return {
    discovery: `A verified way through tasks like "${say(payload.task.title, 200)}", in ${steps.length} kinds of calls.`,
    activation: {
      condition: `The task is like "${say(payload.task.title, 200)}".`,
      action: `Follow the order of calls that worked: ${say(steps.slice(0, 5).join(', then '), 1_000)}.`,
      rationale: overcame
        ? `The execution was verified as successful; on the way ${overcame}.`
        : 'The execution was verified as successful by somebody else than the agent.',
    },
    steps,
    confidence: CONFIDENCE.success,
    tags: ['verified-success'],
  };
}

function reading({ action, error, errorClass, failures, tool }: Obstacle) {
  const name = say(tool ?? '', 60);
  return {
    action: say(action, 200),
    error: say(error, 200),
    errorClass: say(errorClass, 60),
    failures,
    tool: name === '' ? '' : ` with ${name}`,
  };
}

/** How often the remedy worked, where it was tried more than once. */
function triesOf({ tried = 0, worked = 0 }: Obstacle): string {
  return tried > 1 ? `, in ${worked} of ${tried} tries` : '';
}

/** What earlier executions of the same agent add to it, as a sentence of its own. */
function earlierFailures({ earlier }: Obstacle): string {
  if (!earlier) return '';
  return ` It failed so in ${executions(earlier.executions)} of this agent as well.`;
}

function earlierWithRemedy(obstacle: Obstacle): string {
  const { tried = 0, worked = 0 } = obstacle.earlier ?? {};
  const there = tried === 0 ? 'The same was not tried there.' : `The same worked there in ${worked} of ${tried} tries.`;
  return obstacle.earlier ? `${earlierFailures(obstacle)} ${there}` : '';
}

const executions = (n: number): string => (n === 1 ? 'one earlier execution' : `${n} earlier executions`);

function tagsOf(text: string): string[] {
  const tag = say(text, 60);
  return tag === '' ? [] : [tag];
}
