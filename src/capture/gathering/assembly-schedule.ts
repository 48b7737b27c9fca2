import type { AssemblyStage, FragmentSignal } from '../importers/fragment-format.js';

/** When an execution that arrives piece by piece is put together next. */
export interface AssemblySchedule {
  /** What the pieces so far said; stays after it was put together. */
  readonly stage: Exclude<AssemblyStage, 'expired'> | null;
  /** Null: nothing to do until another piece comes, or until it expires. */
  readonly at: Date | null;
}

export interface AssemblyDelays {
  readonly graceSeconds: number;
  readonly pauseMinutes: number;
}

/**
 * After an end, stragglers are waited for, but not for ever: further pieces do not move the time. A pause is over when
 * something follows. What comes after everything was reported is waited for as long as what came before.
 */
export function nextSchedule(
  current: AssemblySchedule,
  says: readonly FragmentSignal[],
  now: Date,
  delays: AssemblyDelays,
): AssemblySchedule {
  const quiet = new Date(now.getTime() + delays.graceSeconds * 1_000);
  const pause = new Date(now.getTime() + delays.pauseMinutes * 60_000);
  return says.reduce<AssemblySchedule>((due, said) => {
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
