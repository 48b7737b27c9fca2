import type { Call as LearningCall } from '../../learning/calls/call.js';
import { triesAfter, WITHIN } from '../../learning/recoveries/case.js';
import { outcomeOf } from '../../learning/recoveries/own-remedy.js';
import type { Trial } from './episode.js';
import { featureKey } from './fingerprint.js';
import { skipsCheck } from './skipped-check.js';
import type { Call, FailedCall, ParsedCall } from './trial.js';

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
  const last = outcome.kind === 'open' ? calls.length : outcome.taken.call.at;
  return calls.slice(failed.index + 1, failed.index + 1 + WITHIN).flatMap((later): Trial[] => {
    if ('excused' in later || later.index > last) return [];
    const tried = one.tries.find(({ call }) => call.at === later.index);
    const isSkipped = skipsCheck(failed, later, calls.slice(failed.index + 1, later.index));
    const worked = isSkipped && later.ok && isAgain(failed, later) ? true : tried?.worked;
    if (worked === undefined) return [];
    const remedy = outcome.kind === 'overcome' && later.index === last ? [outcome.key] : [];
    const keys = [...(tried?.features ?? []), ...remedy].map(featureKey);
    return [
      {
        worked,
        from: failed.index,
        at: later.index,
        features: [...new Set(keys)].slice(0, MOST_FEATURES),
        ...(isSkipped ? { skipsCheck: true } : {}),
      },
    ];
  });
}

/** The same command, with its result thrown away or without the check on its line: the learning core sees no try in it. */
const isAgain = (failed: FailedCall, later: ParsedCall): boolean =>
  later.shape.coarse === failed.shape.coarse && (later.shape.discardsExit || !later.shape.masksExit);

const MOST_FEATURES = 40;
