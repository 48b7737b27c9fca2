import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { NO_MATCH } from '../../learning/calls/error-tokens.js';
import { copiedExactly, dependsOnFolder, PATH_BEGINS } from '../../learning/lessons/words.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { WITHHELD } from '../../untrusted/text/quote-or-withhold.js';
import {
  type CallDifference,
  callDifference,
  hidesContent,
  showsDifference,
  withoutOutput,
} from './call-difference.js';
import { partsOfObstacle } from './lesson-parts.js';
import {
  callSpan,
  descriptionText,
  inlineText,
  programName,
  quoted,
  seenIn,
  spanOrExample,
  timesText,
  verbOf,
} from './lesson-text.js';

/**
 * A single execution is weak evidence: enough to keep a lesson (the proposer's default minimum is 0.5), not enough to
 * trust it.
 */
const CONFIDENCE = { overcome: 0.7, open: 0.5 } as const;
/** A path that does not exist is found by looking, and no lesson. */
const MISSING_PATH = /\b(?:no such file|not found|does not exist|cannot find)\b/i;
/** A call without another try is worth a warning if it failed this often. */
const REPEATED = 2;
const LONGEST = { discovery: 600, condition: 2_000, error: 200, callInDiscovery: 160 } as const;

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
    case 'open':
      return openLesson(payload, obstacle);
    case 'check_skipped':
    case 'passed':
    case 'repeated':
      return undefined;
  }
}

/** A failing check or program of the agent's own work is that work, and no lesson. */
const OWN_WORK = /^(?:run|test|lint):/;

/** Returns whether the failure is one of the agent's own code, and says nothing about its tools. */
const isOwnFailure = ({ purpose, stage }: Obstacle): boolean => OWN_WORK.test(purpose) && stage === 'run';

/** A headline, and how many there are, say nothing about them. */
const COUNT =
  /^collected \d|^Traceback \(most recent call last\):?$|^(?:error: )?(?:found )?\d{1,6} \w{1,20}(?: \w{1,20})?[.!]?$/i;

/** Returns whether the error says something about the call, and not only that something failed. */
function saysWhy(errorLine: string): boolean {
  const line = errorLine.trim();
  const isAnnouncement = /[:=_]$/.test(line) && line.split(/\s+/).length < 4;
  return line !== WITHHELD && !isAnnouncement && !COUNT.test(line) && /\p{L}{3}/u.test(line);
}

/** A lesson shows the call that failed and the line that says why: a bare class or exit code says nothing. */
const isShown = (obstacle: Obstacle): obstacle is ShownObstacle =>
  obstacle.failed !== undefined && obstacle.errorLine !== obstacle.errorClass && saysWhy(obstacle.errorLine);

function overcomeLesson(payload: AnalysisPayload, obstacle: ShownObstacle): Lesson | undefined {
  const { worked } = obstacle;
  const remedy = worked === undefined || !showsRemedy(obstacle, worked) ? undefined : remedyTexts(obstacle, worked);
  if (remedy === undefined) return undefined;
  return {
    ...lessonFrame(payload, obstacle, remedy.short),
    activation: {
      condition: conditionOf(payload, obstacle),
      action: remedy.action,
      rationale: 'The call failed with this error; afterwards the one above worked.',
    },
    steps: [...remedy.steps],
    confidence: CONFIDENCE.overcome,
  };
}

const plainWords = (text: string): string[] =>
  withoutOutput(text)
    .split(/[\s"'=,:{}]+/)
    .filter((word) => word !== '');

/** What cannot be shown may be the remedy; the call alone would look like it. */
const showsRemedy = ({ failed, between }: ShownObstacle, worked: ShownCall): boolean =>
  between.length > 0 || showsDifference(failed, worked);

function remedyTexts(obstacle: ShownObstacle, worked: ShownCall): RemedyTexts | undefined {
  if (obstacle.between.length > 0) return stepTexts(obstacle, worked);
  const { failed } = obstacle;
  const span = spanOrExample(worked, 'worked');
  const difference = callDifference(failed, worked);
  return {
    short: shortForm(failed, worked, difference),
    action: `Use ${span}.${difference === undefined ? '' : ` It differs from the failed call: ${difference.code}.`}${dependsOnFolder(...[failed.call, obstacle.errorLine, worked.call].map(plainWords)) ? ` ${PATH_BEGINS}` : ''}`,
    steps: [`Use ${span}.`],
  };
}

/** The texts of a remedy that rests on the calls before the success; undefined if one of them cannot be quoted. */
function stepTexts(obstacle: ShownObstacle, worked: ShownCall): RemedyTexts | undefined {
  const { failed, between } = obstacle;
  const span = spanOrExample(worked, 'worked');
  const first = between.map((call) => stepSpan(call, obstacle));
  if (first.includes(undefined)) return undefined;
  const isSame = failed.tool === worked.tool && failed.call === worked.call;
  const names = between.map((call) => {
    const plain = plainCall(call);
    return plain === undefined ? `a call of ${programName(call)}` : apart(plain);
  });
  const copied = copiedArgument(obstacle, worked);
  const again =
    isSame && worked.tool !== 'shell' && hidesContent(worked)
      ? `call \`${worked.tool}\` again${copied === undefined ? '' : `, with ${copiedExactly(copied)}`}`
      : `${isSame ? 'the same' : 'the'} call works: ${span}`;
  const last = again.startsWith('call') ? `C${again.slice(1)}` : `${verbOf(worked)} ${span}`;
  return {
    short: `it worked after ${names.join(', then ')}`,
    action: `Do this first: ${first.join(', then ')}. Then ${again}.`,
    steps: [...between.map((call, at) => `${verbOf(call)} ${first[at]}.`), `${last}.`],
  };
}

/**
 * A step as a sentence shows it: of another tool than a shell without numbers that neither the failed call nor its error
 * holds. Which lines of a file one run read says nothing to the next.
 */
function stepSpan(call: ShownCall, { failed, errorLine }: ShownObstacle): string | undefined {
  const args = [...(call.tool === 'shell' ? [] : (argumentsOf(call.call) ?? []))];
  const isKnown = (value: string): boolean => failed.call.includes(value) || errorLine.includes(value);
  const kept = args.filter(([, value]) => !/^\d{1,12}$/.test(value) || isKnown(value));
  if (kept.length === args.length || kept.length === 0) return callSpan(call);
  return callSpan({ tool: 'shell', call: [call.tool, ...kept.map(([name, value]) => `${name}=${value}`)].join(' ') });
}

/** The argument with a text that was to be there and is not. */
const copiedArgument = ({ errorLine }: ShownObstacle, { call }: ShownCall): string | undefined =>
  NO_MATCH.test(errorLine)
    ? [...(argumentsOf(call) ?? [])].find(([, value]) => value === '<old text>')?.[0]
    : undefined;

/** A call of a description apart from the words around it. */
const apart = (plain: string): string => (plain.includes('"') ? plain : `"${plain}"`);

/** The form that worked in a description: the call, what changed in it, or the other program. */
function shortForm(failed: ShownCall, worked: ShownCall, difference: CallDifference | undefined): string {
  const plain = plainCall(worked);
  const isWord = worked.tool !== 'shell' && difference !== undefined;
  if (plain !== undefined && !isWord) return `it worked as ${apart(plain)}`;
  const words = difference?.words.replaceAll('<folder>/', '') ?? '<>';
  if (!/[<>]/.test(words)) return `it worked ${words}`;
  const program = programName(worked);
  const isWithin = worked.call.split(/\s/).includes(programName(failed)) || program === programName(failed);
  return isWithin ? 'it worked in the form that the steps show' : `it worked with ${program}`;
}

/**
 * A failure that nothing overcame: which calls fail with which error, as a fact. One call that failed once may have been
 * an accident, and one of the agent's own programs is run again until it works: they teach nothing.
 */
function openLesson(payload: AnalysisPayload, obstacle: ShownObstacle): Lesson | undefined {
  const { attempts, errorLine, failed, failures, purpose } = obstacle;
  const tried = attempts.filter((call) => !hidesContent(call)).flatMap((call) => callSpan(call) ?? []);
  const isAccident = tried.length === 0 && (failures < REPEATED || OWN_WORK.test(purpose));
  if (isAccident || isOwnFailure(obstacle) || MISSING_PATH.test(errorLine) || hidesContent(failed)) return undefined;
  const condition = conditionOf(payload, obstacle);
  const also = tried.length === 0 ? '' : ` Tried instead, and failed as well: ${tried.join(', ')}.`;
  const others = tried.length === 1 ? 'another call' : `${tried.length} other calls`;
  const advice = `Solve what the error names: ${quoted(errorLine, LONGEST.error)}.`;
  return {
    ...lessonFrame(payload, obstacle, tried.length === 0 ? `it failed ${timesText(failures)}` : `so did ${others}`),
    activation: {
      condition: clip(`${condition}${also}`, LONGEST.condition),
      action: `Expect this error from ${tried.length === 0 ? 'the call' : 'each of the calls'} named in the condition. ${advice}`,
      rationale: `The execution failed ${timesText(failures)} with this error, and ended without a call that got past it.`,
    },
    steps: [advice],
    confidence: CONFIDENCE.open,
  };
}

/** Description, parts and tags: what fails, with the words of the error. */
function lessonFrame(payload: AnalysisPayload, obstacle: ShownObstacle, ending: string) {
  const { errorLine, errorClass, action, tool } = obstacle;
  const name = inlineText(action.replace(/\[(?:path|dir)\]\//g, ''), 60) || inlineText(tool, 60);
  // A flag outside quotation marks would read as advice.
  const subject = / -/.test(name) ? `"${name}"` : name;
  return {
    discovery: descriptionText(
      `${subject} fails with ${quoted(errorLine, LONGEST.error)}; ${ending}.`,
      LONGEST.discovery,
    ),
    ...partsOfObstacle(payload, obstacle),
    tags: [...new Set([inlineText(errorClass, 60), name])].filter((tag) => tag !== ''),
  };
}

function conditionOf({ task, environment }: AnalysisPayload, obstacle: ShownObstacle): string {
  const { failed, errorLine } = obstacle;
  const facts = partsOfObstacle({ environment }, obstacle).environment ?? [];
  const call = spanOrExample(failed, 'failed');
  const verb = failed.tool === 'shell' ? 'run' : 'call';
  const condition = `You are about to ${verb} ${call}, or it failed with ${quoted(errorLine, LONGEST.error)}. ${seenIn(facts, task.title)}`;
  return clip(condition.trim(), LONGEST.condition);
}

/** A call in the description, if it can stand there unchanged: the description holds no code span and no bracket. */
function plainCall(call: ShownCall): string | undefined {
  const text = withoutOutput(callText(call));
  return text.length <= LONGEST.callInDiscovery && callSpan(call) !== undefined && !/[<>]/.test(text)
    ? text
    : undefined;
}
