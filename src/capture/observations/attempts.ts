import type { Call as LearningCall } from '../../learning/calls/call.js';
import { type Case, callsAfter, type Try, triesAfter } from '../../learning/recoveries/case.js';
import { commandsOf } from '../../learning/recoveries/goal.js';
import { outcomeOf } from '../../learning/recoveries/own-remedy.js';
import { CODE_CHANGED, isStep, SKIPS_CHECK } from '../../learning/recoveries/refused-remedy.js';
import { overridesCheck, runsCheck } from '../../untrusted/danger/check-commands.js';
import { dangersOfCall } from '../actions/action.js';
import type { Trial } from './episode.js';
import { featureKey } from './fingerprint.js';
import type { Call, FailedCall } from './trial.js';

/** The tries after a failure up to the one that overcame it. `read`: the calls as the learning core reads them. */
export function attemptsAfter(
  failed: FailedCall,
  calls: readonly Call[],
  read: readonly LearningCall[],
): readonly Trial[] {
  const own = read[failed.index];
  if (own === undefined) return [];
  const one = { failed: own, tries: triesAfter(read, own) };
  const outcome = outcomeOf(one);
  const isOpen = outcome.kind === 'open' || (outcome.kind === 'passed' && outcome.because === CODE_CHANGED);
  const last = isOpen ? calls.length : outcome.taken.call.at;
  const later = callsAfter(read, own);
  return later.flatMap((call, offset): Trial[] => {
    const parsed = calls[call.at];
    if (parsed === undefined || 'excused' in parsed || call.at > last) return [];
    const tried = one.tries.find((other) => other.call === call);
    const isSkipped =
      omitsCheck(failed, own, [...later.slice(0, offset), call]) ||
      (tried !== undefined && (discardsResult(tried, parsed.text) || skipsCheck(one, tried, calls)));
    const worked = isSkipped ? parsed.ok : tried?.worked;
    if (worked === undefined) return [];
    const remedy = outcome.kind === 'overcome' && call.at === last ? [outcome.key] : [];
    const keys = [...(tried?.features ?? []), ...remedy].map(featureKey);
    return [
      {
        worked,
        from: failed.index,
        at: call.at,
        features: [...new Set(keys)].slice(0, MOST_FEATURES),
        ...(isSkipped ? { skipsCheck: true } : {}),
      },
    ];
  });
}

const MOST_FEATURES = 40;
const DISCARDS = /\|\| {0,9}(?:true|:|exit(?: 0)?|(?:echo|printf)\b[^|;&]{0,400})$|; {0,9}(?:true|:|exit 0)$/;

/** The same command with its result thrown away, which the learning core takes for no answer: `npm test || true`. */
const discardsResult = ({ call, features }: Try, text: string): boolean =>
  call.ended === true && call.ok === undefined && [...features].every(isStep) && DISCARDS.test(text);

/**
 * The try got past the failure only because a check does not run or does not count: with `--no-verify`. What turns a
 * protection off did work, and its dangers are shown.
 */
function skipsCheck({ failed }: Case, tried: Try, calls: readonly Call[]): boolean {
  const alone = outcomeOf({ failed, tries: [tried] });
  if (alone.kind !== 'passed' || alone.because !== SKIPS_CHECK) return false;
  const dangers = calls
    .slice(failed.at + 1, tried.call.at + 1)
    .flatMap(({ ok, shape, text }) => (ok ? dangersOfCall(shape.tool, text) : []));
  return dangers.some(overridesCheck) || dangers.every(({ class: kind }) => kind !== 'protection');
}

/** The last call is the rest of a line that lost the check that failed: `git push` after `npm test && git push`. */
function omitsCheck({ failing, shape }: FailedCall, failed: LearningCall, later: readonly LearningCall[]): boolean {
  const call = later.at(-1);
  if (call === undefined || failed.starts.length < 2 || call.starts.length >= failed.starts.length) return false;
  const [all, rest] = [failed, call].map((one) => commandsOf(one).map((words) => words.join(' ')));
  if (!rest?.every((command) => all?.includes(command))) return false;
  const passed = later.filter(({ ok }) => ok === true).flatMap(commandsOf);
  const kept = new Set([...passed.map((words) => words.join(' ')), ...rest]);
  return commandsOf(failed).some(
    (words) =>
      // Without a blamed step any check may have failed, otherwise only one of the same program.
      (failing === shape || words[0] === failing.program) && runsCheck(words) && !kept.has(words.join(' ')),
  );
}
