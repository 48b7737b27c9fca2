import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import type { EnvironmentFact, LessonExample } from '../../evidence/calls/lesson-parts.schema.js';
import { versionCause } from '../../evidence/calls/version-cause.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { oneLine } from '../../untrusted/text/plain-text.js';

const MAX_FACTS = 8;
const LONGEST_ERROR = 300;
const WHERE = /^(?:harness|operating system|project kind|project|repository)$/;
/** The cause, environment and example that the execution shows for an obstacle. */
export function partsOfObstacle(
  { environment }: Pick<AnalysisPayload, 'environment'>,
  obstacle: Obstacle,
): Pick<Lesson, 'cause' | 'environment' | 'example'> {
  const facts = relevantFacts(environment, obstacle);
  const example = exampleOf(obstacle);
  // What the error itself says is in the condition and in the example.
  const cause = example?.worked ? versionCause(example.failed, example.worked, facts) : undefined;
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
  const words = [failed, worked, ...between].flatMap((shown) => shown?.call.split(/[^\w.-]+/) ?? []);
  // `python` is also named by `python3` and `/usr/bin/python`.
  const isNamed = ({ name }: EnvironmentFact): boolean =>
    WHERE.test(name) || words.some((word) => word.startsWith(name));
  return environment.filter(isNamed).slice(0, MAX_FACTS);
}

function exampleOf({ outcome, failed, errorLine, between, worked }: Obstacle): LessonExample | undefined {
  if (failed === undefined) return undefined;
  const error = clip(oneLine(errorLine), LONGEST_ERROR);
  if (error === '') return undefined;
  return outcome === 'overcome' && worked !== undefined
    ? { failed, error, between, worked }
    : { failed, error, between: [], worked: null };
}
