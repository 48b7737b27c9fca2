import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { isGenericTitle } from '../../capture/observations/session-topic.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { partsOfObstacle, relevantFacts } from './lesson-parts.js';
import { callSpan, descriptionText, inlineText, programName, quoted, seenIn } from './lesson-text.js';

type Call = AnalysisPayload['calls'][number];

const CONFIDENCE = 0.6;
const MAX_STEPS = 8;
/** Calls that look around, write a file or plan: they differ from task to task. */
const NOT_KEY =
  /^(?:file:|list$|version|plan|agent|skill|web:|shell:(?:cd|pwd|echo|printf|output|kill|export|sleep|true|date|whoami|env|printenv|clear|wc|sort|uniq|mkdir|cp|mv|chmod|history|cut|tr|jq|awk)$|vcs:git (?:status|log|diff|show|branch)$)/;

/**
 * The calls that a verified execution rests on, in order: the last successful one of each purpose. Undefined if there
 * are fewer than two, because one call is no way to a goal.
 */
export function successLesson(payload: AnalysisPayload): Lesson | undefined {
  const { task, environment, obstacles } = payload;
  const key = keyCalls(payload.calls);
  if (key.length < 2 || key.length > MAX_STEPS) return undefined;
  const overcome = obstacles.find(({ outcome, failed, worked }) => outcome === 'overcome' && failed && worked);
  const calls = { failed: undefined, worked: undefined, between: key.map(({ tool, call }) => ({ tool, call })) };
  const facts = relevantFacts(environment, calls);
  const kind = environment.find(({ name }) => name === 'project kind')?.value;
  const onTheWay = overcome
    ? ` On the way, ${inlineText(overcome.action, 60)} failed with ${quoted(overcome.errorLine, 200)}.`
    : '';
  const inOrder = `Make these calls in this order: ${key.map(({ span }) => span).join(', then ')}.`;
  const names = [...new Set(key.map(programName))].join(', ');
  // A title that only names the product says nothing: the lesson is found by what ran.
  const isNamed = !isGenericTitle(task.title);
  const title = isNamed ? quoted(task.title, 150) : `a session that runs ${names}`;
  return {
    discovery: descriptionText(
      `A verified way through ${title}${kind ? ` in a ${kind} project` : ''}${isNamed ? `: ${names}` : ''}.${onTheWay}`,
      600,
    ),
    activation: {
      condition: clip(`The task is like ${title}. ${seenIn(facts, '')}`.trim(), 2_000),
      action: inOrder.length <= 2_000 ? inOrder : 'Make the calls of the steps, in their order.',
      rationale: `Checks at the end of the session passed, or something other than the agent judged its result.${onTheWay}`,
    },
    steps: key.map(({ tool, span }) => `${tool === 'shell' ? 'Run' : 'Call'} ${span}.`),
    ...(overcome ? partsOfObstacle(payload, overcome) : {}),
    ...(facts.length > 0 ? { environment: facts } : {}),
    confidence: CONFIDENCE,
    tags: ['verified-success', ...(task.type ? [inlineText(task.type, 60)] : [])].filter((tag) => tag !== ''),
  };
}

interface KeyCall {
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
    byPurpose.set(purpose, { tool, call, span });
  }
  return [...byPurpose.values()];
}
