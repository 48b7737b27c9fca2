import { compileMatchers, DEFAULT_WITHIN } from '../../evidence/predicate/compiled-predicate.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { WriterSample } from './lesson-writer.js';

const HINT = 'a placeholder such as <name> of the dossier stands for a value, for which a pattern has .*';

/**
 * What is wrong with a predicate on the executions that its dossier was made from, whose values the dossier does not
 * show; undefined if nothing. `isShown`: an example shows the call that follows, so that some execution has one.
 */
export function sampleProblem(
  { when, follow, within = DEFAULT_WITHIN }: Predicate,
  { executions, isMember }: Pick<WriterSample, 'executions' | 'isMember'>,
  isShown: boolean,
): string | undefined {
  if (!when) return undefined;
  const fires = compileMatchers(when);
  const failures = executions.flatMap(({ calls }) =>
    calls.flatMap((call, at) =>
      isMember(call) && fires(call) ? [{ call, later: calls.slice(at + 1, at + 1 + within) }] : [],
    ),
  );
  if (failures.length === 0) return `\`when\` matches no failure of the family: ${HINT}.`;
  if (!follow || !isShown) return undefined;
  const follows = compileMatchers(follow);
  const isFollowed = failures.some(({ call, later }) => later.some((one) => follows(one, call)));
  return isFollowed ? undefined : `\`follow\` matches no call within ${within} calls after a failure: ${HINT}.`;
}
