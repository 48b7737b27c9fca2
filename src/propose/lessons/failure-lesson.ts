import type { AnalysisPayload, Obstacle } from '../../capture/analysis/payload.schema.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { callDifference } from './call-difference.js';
import { partsOfObstacle } from './lesson-parts.js';
import {
  callSpan,
  callText,
  descriptionText,
  inlineText,
  quoted,
  seenIn,
  spanOrExample,
  timesText,
} from './lesson-text.js';

/**
 * A single execution is weak evidence: enough to keep a lesson (the proposer's default minimum is 0.5), not enough to
 * trust it.
 */
const CONFIDENCE = { overcome: 0.7, open: 0.5 } as const;
/** A failing check or program of the agent's own work is that work, and no lesson. */
const OWN_WORK = /^(?:run|test|lint):/;
const LONGEST = { discovery: 600, error: 200, callInDiscovery: 160 } as const;

/** A remedy as the sentences of a lesson. */
interface RemedyTexts {
  /** After "…; " in the description. */
  readonly short: string;
  readonly action: string;
  readonly steps: readonly string[];
}

type ShownObstacle = Obstacle & { readonly failed: ShownCall };

/** The lesson of an obstacle; undefined if what is known of it helps no one. */
export function failureLesson(payload: AnalysisPayload, obstacle: Obstacle): Lesson | undefined {
  if (!isShown(obstacle)) return undefined;
  switch (obstacle.outcome) {
    case 'overcome':
      return overcomeLesson(payload, obstacle);
    case 'check_skipped':
      return skippedCheckLesson(payload, obstacle);
    case 'open':
      return openLesson(payload, obstacle);
    case 'repeated':
      return undefined;
  }
}

const isShown = (obstacle: Obstacle): obstacle is ShownObstacle => obstacle.failed !== undefined;

function overcomeLesson(payload: AnalysisPayload, obstacle: ShownObstacle): Lesson | undefined {
  const { worked, failures } = obstacle;
  const remedy = worked === undefined ? undefined : remedyTexts(obstacle, worked);
  if (remedy === undefined) return undefined;
  return {
    ...lessonFrame(payload, obstacle, remedy.short),
    activation: {
      condition: conditionOf(payload, obstacle),
      action: remedy.action,
      rationale: `The call failed ${timesText(failures)} with this error; afterwards the one above worked, and the error did not come back.${earlierText(obstacle)}`,
    },
    steps: [...remedy.steps],
    confidence: CONFIDENCE.overcome,
  };
}

function remedyTexts(obstacle: ShownObstacle, worked: ShownCall): RemedyTexts | undefined {
  const { failed, between, how } = obstacle;
  const span = spanOrExample(worked, 'worked');
  const short = shortCall(worked);
  const first = between.map((call) => callSpan(call));
  const isSame = failed.tool === worked.tool && failed.call === worked.call;
  if (between.length > 0 && first.every((step) => step !== undefined)) {
    const before = first.join(', then ');
    const last = isSame ? 'the same call again' : 'the call';
    const [verb, place] = how === 'relocate' ? ['Look it up first', 'with'] : ['Do this first', 'after'];
    return {
      short: `it worked ${place} ${between.map(shortCall).join(', then ')}${isSame ? '' : `, as ${short}`}`,
      action: `${verb}: ${before}. Then ${last} works: ${span}.`,
      steps: [...first.map((step) => `Run ${step}.`), `Run ${span}.`],
    };
  }
  // The steps in between cannot be shown, so that the same call again would look like the remedy.
  if (isSame) return undefined;
  const difference = callDifference(failed, worked);
  const detail = difference === undefined ? '' : ` It differs from the failed call in one thing: ${difference}.`;
  if (how === 'omit')
    return {
      short: `it worked without that step, as ${short}`,
      action: `Leave the failing step out: ${span}.`,
      steps: [`Run ${span}.`],
    };
  return {
    short: `it worked as ${short}`,
    action: `Use ${span}.${detail}`,
    steps: [`Use ${span}.`],
  };
}

function skippedCheckLesson(payload: AnalysisPayload, obstacle: ShownObstacle): Lesson {
  const advice = `Solve what the error names: ${quoted(obstacle.errorLine, LONGEST.error)}.`;
  return {
    ...lessonFrame(payload, obstacle, 'it was only overcome by skipping a check, which solves nothing'),
    activation: {
      condition: conditionOf(payload, obstacle),
      action: `${advice} Do not skip the check.`,
      rationale: 'The only call that got past this error skipped a check, so that nothing is known to solve it.',
    },
    steps: [advice],
    confidence: CONFIDENCE.open,
  };
}

/** A failure that nothing overcame is worth knowing only with the error and what was tried against it. */
function openLesson(payload: AnalysisPayload, obstacle: ShownObstacle): Lesson | undefined {
  const { attempts, errorLine, errorClass, purpose, stage, failures } = obstacle;
  const isNormalWork = OWN_WORK.test(purpose) && stage === 'run';
  const tried = attempts.flatMap((call) => callSpan(call) ?? []);
  if (isNormalWork || tried.length === 0 || errorLine === errorClass) return undefined;
  const list = tried.join(', ');
  return {
    ...lessonFrame(
      payload,
      obstacle,
      `${tried.length === 1 ? 'another call' : `${tried.length} other calls`} did not help`,
    ),
    activation: {
      condition: `${conditionOf(payload, obstacle)} Tried, and failed as well: ${list}.`,
      action: `The calls named in the condition do not get past this error. Find out first why ${quoted(errorLine, LONGEST.error)} is reported, or choose another way to the goal.`,
      rationale: `The execution failed ${timesText(failures)} with this error and never got past it.${earlierText(obstacle)}`,
    },
    steps: [`Find out why ${quoted(errorLine, LONGEST.error)} is reported before another try.`],
    confidence: CONFIDENCE.open,
  };
}

/** Description, parts and tags: what fails, with the words of the error. */
function lessonFrame(payload: AnalysisPayload, obstacle: ShownObstacle, ending: string) {
  const { errorLine, errorClass, action, tool } = obstacle;
  const name = inlineText(action, 60) || inlineText(tool, 60);
  return {
    discovery: descriptionText(`${name} fails with ${quoted(errorLine, LONGEST.error)}; ${ending}.`, LONGEST.discovery),
    ...partsOfObstacle(payload, obstacle),
    tags: [...new Set([inlineText(errorClass, 60), name])].filter((tag) => tag !== ''),
  };
}

function conditionOf({ task, environment }: AnalysisPayload, obstacle: ShownObstacle): string {
  const { failed, errorLine } = obstacle;
  const facts = partsOfObstacle({ environment }, obstacle).environment ?? [];
  const call = spanOrExample(failed, 'failed');
  const verb = failed.tool === 'shell' ? 'run' : 'call';
  return `You are about to ${verb} ${call}, or it failed with ${quoted(errorLine, LONGEST.error)}. ${seenIn(facts, task.title)}`.trim();
}

/** A call in the description, which holds no code span; a long one is in the example only. */
function shortCall(call: ShownCall): string {
  const text = callText(call);
  return text.length <= LONGEST.callInDiscovery && callSpan(call) !== undefined ? text : 'the example shows';
}

/** Returns a sentence on the same failure in earlier executions of the agent. */
function earlierText({ earlier, outcome }: Obstacle): string {
  if (!earlier) return '';
  const { executions, tried, worked } = earlier;
  const where = executions === 1 ? 'one earlier execution' : `${executions} earlier executions`;
  const remedy =
    outcome === 'overcome' && tried > 0 ? `, where the same remedy worked in ${worked} of ${tried} tries` : '';
  return ` It failed so in ${where} of this agent as well${remedy}.`;
}
