import type { AnalysisPayload, Obstacle } from '../../capture/analysis/payload.schema.js';
import type { EnvironmentFact, LessonExample } from '../../evidence/parts/lesson-parts.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import { inlineText } from './lesson-text.js';

const MAX_FACTS = 8;
const LONGEST_ERROR = 300;
const WHERE = /^(?:harness|operating system|project kind|project|repository)$/;
/** Words by which an error says why a call failed, and not only that it did. */
const STATES_CAUSE =
  /\b(?:because|no module named|no such|not (?:found|installed|defined|allowed|supported|a)|does not|doesn't|has no|have no|must|required?s?|expect(?:ed|s)|missing|unknown|unrecogni[sz]ed|invalid|undefined|already|only|without|unsupported|denied|unexpected|cannot|can't|should)\b/i;

/** The cause, environment and example that the execution shows for an obstacle. */
export function partsOfObstacle(
  { environment }: Pick<AnalysisPayload, 'environment'>,
  obstacle: Obstacle,
): Pick<Lesson, 'cause' | 'environment' | 'example'> {
  const facts = relevantFacts(environment, obstacle);
  const example = exampleOf(obstacle);
  const cause = statedCause(obstacle);
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(facts.length === 0 ? {} : { environment: facts }),
    ...(example === undefined ? {} : { example }),
  };
}

/** Where it ran, and the versions of the programs that the calls name. */
export function relevantFacts(
  environment: readonly EnvironmentFact[],
  { failed, worked, between }: Pick<Obstacle, 'failed' | 'worked' | 'between'>,
): EnvironmentFact[] {
  const calls = [failed, worked, ...between].map((shown) => shown?.call ?? '').join('\n');
  const isNamed = ({ name }: EnvironmentFact): boolean => WHERE.test(name) || namesProgram(calls, name);
  return environment.filter(isNamed).slice(0, MAX_FACTS);
}

/** `python` is also named by `python3` and `/usr/bin/python`. */
function namesProgram(calls: string, program: string): boolean {
  let at = calls.indexOf(program);
  while (at >= 0) {
    if (at === 0 || !/[\w-]/.test(calls.charAt(at - 1))) return true;
    at = calls.indexOf(program, at + 1);
  }
  return false;
}

function exampleOf({ outcome, failed, errorLine, between, worked }: Obstacle): LessonExample | undefined {
  if (failed === undefined) return undefined;
  const error = clip(oneLine(errorLine), LONGEST_ERROR);
  if (error === '') return undefined;
  return outcome === 'overcome' && worked !== undefined
    ? { failed, error, between, worked }
    : { failed, error, between: [], worked: null };
}

/** The cause, if the error states one. */
function statedCause({ errorLine, errorClass }: Obstacle): string | undefined {
  const line = inlineText(errorLine, LONGEST_ERROR);
  return line !== errorClass && STATES_CAUSE.test(line) ? `The error says: ${line}` : undefined;
}
