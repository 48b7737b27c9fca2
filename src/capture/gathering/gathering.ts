import type { PieceSays, Stage } from '../importers/gathered-format.js';

/** When an execution that arrives piece by piece is put together next. */
export interface Due {
  /** What the pieces so far said; stays after it was put together. */
  readonly stage: Exclude<Stage, 'expired'> | null;
  /** Null: nothing to do until another piece comes, or until it expires. */
  readonly at: Date | null;
}

export interface Patience {
  readonly quietSeconds: number;
  readonly pauseMinutes: number;
}

/**
 * After an end, stragglers are waited for, but not for ever: further pieces do not move the time. A pause is over when
 * something follows. What comes after everything was reported is waited for as long as what came before.
 */
export function nextDue(current: Due, says: readonly PieceSays[], now: Date, patience: Patience): Due {
  const quiet = new Date(now.getTime() + patience.quietSeconds * 1_000);
  const pause = new Date(now.getTime() + patience.pauseMinutes * 60_000);
  return says.reduce<Due>((due, said) => {
    const waitsForStragglers = due.stage === 'ended' && due.at !== null;
    if (said === 'ended') return waitsForStragglers ? due : { stage: 'ended', at: quiet };
    if (waitsForStragglers) return due;
    if (said === 'paused')
      return due.stage === 'ended' ? { stage: 'ended', at: quiet } : { stage: 'paused', at: pause };
    if (said === 'goes-on') return { stage: null, at: null };
    if (due.stage === null) return due;
    return { stage: due.stage, at: due.stage === 'ended' ? quiet : pause };
  }, current);
}
