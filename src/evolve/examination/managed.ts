import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Call } from '../../learning/calls/call.js';
import { namedIn } from '../../learning/calls/error-tokens.js';
import { appliesTo, triesOf } from '../../learning/lessons/claim.js';
import { type RecordedExecution, readsOf } from '../evidence/recorded-execution.js';

/** Executions that met the failure, at least. */
const LEAST = 3;
/** Calls until then: a look may come first. */
const AT_ONCE = 2;

/**
 * Returns whether agents need no lesson: the error offers what to put in, and every execution that met it did so at once,
 * which worked.
 */
export function isManaged({ learned }: Predicate, executions: readonly RecordedExecution[]): boolean {
  if (!learned?.follow.includes('+⟨e⟩')) return false;
  const met = executions.flatMap(({ calls }) => {
    const read = readsOf(calls);
    const failed = read.find((call) => appliesTo(learned, call));
    return failed === undefined ? [] : [{ failed, ...triesOf(learned, read, failed) }];
  });
  return (
    met.length >= LEAST &&
    met.every(
      ({ failed, taught, other }) =>
        taught?.worked === true &&
        other === undefined &&
        taught.call.at - failed.at <= AT_ONCE &&
        offers(failed, taught.call),
    )
  );
}

/** Whether the error names something of the later call that the failed one has not, as `Did you mean` does. */
function offers({ tokens, error }: Call, later: Call): boolean {
  const isNamed = namedIn(error);
  return later.tokens.some((one) => isNamed(one) && !tokens.some((other) => other.includes(one)));
}
