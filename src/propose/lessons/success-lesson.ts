import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { isGenericTitle } from '../../capture/observations/session-topic.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { partsOfObstacle, relevantFacts } from './lesson-parts.js';
import { callSpan, descriptionText, inlineText, programName, quoted, seenIn, verbOf } from './lesson-text.js';

type Call = AnalysisPayload['calls'][number];

const CONFIDENCE = 0.6;
const MAX_STEPS = 8;
/** Calls that look around, write a file or plan: they differ from task to task. */
const NOT_KEY =
  /^(?:file:|list$|version|plan|agent|skill|web:|shell:(?:cd|pwd|echo|printf|output|kill|export|sleep|true|date|whoami|env|printenv|clear|wc|sort|uniq|mkdir|cp|mv|chmod|history|cut|tr|jq|awk)$|vcs:git (?:status|log|diff|show|branch)$)/;

/** The check of one file belongs to one task. */
const NAMES_FILE = /[\w>]\.[A-Za-z]\w{0,5}(?:::\S{0,200})?(?=\s|$)/;
/** What says whether the work is right. */
const CHECK = /^(?:test|lint|check):/;

/**
 * The calls that a verified execution rests on, in order: the last successful one of each purpose. A title that only
 * names the product does not say what they are the way to: then only the checks teach something, which is how the
 * project is checked. Undefined if nothing is left; one call alone is no way to a goal.
 */
export function successLesson(payload: AnalysisPayload): Lesson | undefined {
  const { task, environment, obstacles } = payload;
  if (isGenericTitle(task.title)) return checksLesson(payload);
  const key = keyCalls(payload.calls);
  if (key.length < 2 || key.length > MAX_STEPS) return undefined;
  const overcome = obstacles.find(({ outcome, failed, worked }) => outcome === 'overcome' && failed && worked);
  const facts = factsOf(environment, key);
  const onTheWay = overcome
    ? ` On the way, ${inlineText(overcome.action, 60)} failed with ${quoted(overcome.errorLine, 200)}.`
    : '';
  const inOrder = `Make these calls in this order: ${key.map(({ span }) => span).join(', then ')}.`;
  const title = quoted(task.title, 150);
  return {
    discovery: descriptionText(
      `A verified way through ${title}${kindOf(environment)}: ${namesOf(key)}.${onTheWay}`,
      600,
    ),
    activation: {
      condition: clip(`The task is like ${title}. ${seenIn(facts, '')}`.trim(), 2_000),
      action: inOrder.length <= 2_000 ? inOrder : 'Make the calls of the steps, in their order.',
      rationale: `Checks at the end of the session passed, or something other than the agent judged its result.${onTheWay}`,
    },
    ...partsOf(key, facts),
    ...(overcome ? partsOfObstacle(payload, overcome) : {}),
    tags: ['verified-success', ...(task.type ? [inlineText(task.type, 60)] : [])].filter((tag) => tag !== ''),
  };
}

function checksLesson({ calls, environment }: AnalysisPayload): Lesson | undefined {
  const key = keyCalls(calls).filter(({ purpose, call }) => CHECK.test(purpose) && !NAMES_FILE.test(call));
  if (key.length === 0 || key.length > MAX_STEPS) return undefined;
  const facts = factsOf(environment, key);
  return {
    discovery: descriptionText(
      `How work is checked${kindOf(environment) || ' in this project'}: ${namesOf(key)}.`,
      600,
    ),
    activation: {
      condition: clip(
        `You changed something in this project, and want to know whether it is right. ${seenIn(facts, '')}`,
        2_000,
      ),
      action: `Run ${key.map(({ span }) => span).join(', then ')}.`,
      rationale: 'These checks passed at the end of a session with a good result.',
    },
    ...partsOf(key, facts),
    tags: ['verified-success'],
  };
}

const namesOf = (key: readonly KeyCall[]): string => [...new Set(key.map(programName))].join(', ');

function kindOf(environment: AnalysisPayload['environment']): string {
  const kind = environment.find(({ name }) => name === 'project kind')?.value;
  return kind === undefined ? '' : ` in a ${kind} project`;
}

const factsOf = (environment: AnalysisPayload['environment'], between: readonly KeyCall[]): EnvironmentFact[] =>
  relevantFacts(environment, { failed: undefined, worked: undefined, between: [...between] });

const partsOf = (
  key: readonly KeyCall[],
  facts: EnvironmentFact[],
): Pick<Lesson, 'steps' | 'environment' | 'confidence'> => ({
  steps: key.map((call) => `${verbOf(call)} ${call.span}.`),
  ...(facts.length > 0 ? { environment: facts } : {}),
  confidence: CONFIDENCE,
});

interface KeyCall {
  readonly purpose: string;
  readonly tool: string;
  readonly call: string;
  readonly span: string;
}

function keyCalls(calls: readonly Call[]): KeyCall[] {
  const byPurpose = new Map<string, KeyCall>();
  for (const { tool, call, purpose, ok, skipsCheck } of calls) {
    const span = call === undefined ? undefined : callSpan({ tool, call });
    if (!ok || skipsCheck === true || NOT_KEY.test(purpose) || call === undefined || span === undefined) continue;
    // Deleted first, so that the order is that of the last calls.
    byPurpose.delete(purpose);
    byPurpose.set(purpose, { purpose, tool, call, span });
  }
  return [...byPurpose.values()];
}
