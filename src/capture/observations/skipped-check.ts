import { overridesCheck, runsCheck, selectsChecks } from '../../untrusted/danger/check-commands.js';
import type { StepShape } from '../actions/action-shape.js';
import type { FailedCall, ParsedCall } from './trial.js';
import { dangersOf } from './trial-dangers.js';

/**
 * True if the later call passes only because a check does not run or does not count: with `--no-verify`, without the
 * failing step `npm test &&`, with a part of the tests, or with `|| true`.
 */
export function skipsCheck(failed: FailedCall, later: ParsedCall, between: readonly ParsedCall[]): boolean {
  return (
    discardsFailure(failed, later) ||
    overridesNewly(failed, [later, ...between.filter(({ ok }) => ok)]) ||
    omitsCheck(failed, later, between) ||
    narrowsCheck(failed, later)
  );
}

/** True for the same command whose exit status is thrown away: `npm test || true`. */
function discardsFailure(failed: FailedCall, later: ParsedCall): boolean {
  return later.shape.discardsExit && later.shape.coarse === failed.shape.coarse;
}

/** True if one of the calls has a form that overrides a check, and the failed call has not. */
function overridesNewly(failed: FailedCall, calls: readonly ParsedCall[]): boolean {
  const overriding = calls.flatMap(dangersOf).filter(overridesCheck);
  if (overriding.length === 0) return false;
  const known = new Set(dangersOf(failed).map(({ program, form }) => `${program} ${form}`));
  return overriding.some(({ program, form }) => !known.has(`${program} ${form}`));
}

/** True if the line lost the check that failed: `git push` after `npm test && git push`. */
function omitsCheck(failed: FailedCall, later: ParsedCall, between: readonly ParsedCall[]): boolean {
  const isKept = ({ coarse }: StepShape): boolean =>
    [later.shape, ...later.shape.earlier].some((step) => step.coarse === coarse) ||
    between.some(({ ok, shape }) => ok && !shape.masksExit && shape.coarse === coarse);
  const { failing, shape } = failed;
  // Without a blamed step, any check before the program may have failed; otherwise only one that writes the same errors.
  const earlier = shape.earlier.filter(({ program }) => failing === shape || program === failing.program);
  const suspects = failing.coarse === shape.coarse ? earlier : [...earlier, failing];
  return suspects.some((step) => runsCheck(step.coarse.split(' ')) && !isKept(step));
}

function narrowsCheck(failed: FailedCall, { shape }: ParsedCall): boolean {
  const words = shape.coarse.split(' ');
  if (!runsCheck(words)) return false;
  return shape.flags.some((flag) => !failed.shape.flags.includes(flag) && selectsChecks(words, flag));
}
