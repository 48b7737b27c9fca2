import type { AssemblyStage, FragmentSignal } from '../importers/fragment-format.js';

/** When the fragments of an execution are assembled next. */
export interface AssemblySchedule {
  /** The stage that the fragments signalled so far. It is kept after the assembly. */
  readonly stage: Exclude<AssemblyStage, 'silent' | 'expired'> | null;
  /** Null: wait for another fragment or for expiry. */
  readonly at: Date | null;
}

export interface AssemblyDelays {
  readonly graceSeconds: number;
  readonly pauseMinutes: number;
  /** Minutes of silence after which an execution without an end or a pause is assembled; otherwise only at expiry. */
  readonly silenceMinutes?: number;
}

/**
 * The schedule after more fragments. After an end, late fragments are accepted for a fixed grace period that they do
 * not extend. Any activity after a pause cancels or restarts the pause, and any activity at all the time of silence. A fragment that arrives after an assembly
 * starts the delay of its stage again.
 */
export function nextSchedule(
  current: AssemblySchedule,
  signals: readonly FragmentSignal[],
  now: Date,
  delays: AssemblyDelays,
): AssemblySchedule {
  const graceEnd = new Date(now.getTime() + delays.graceSeconds * 1_000);
  const pauseEnd = new Date(now.getTime() + delays.pauseMinutes * 60_000);
  const silence = delays.silenceMinutes;
  const silenceEnd = silence === undefined ? null : new Date(now.getTime() + silence * 60_000);
  return signals.reduce<AssemblySchedule>((schedule, signal) => {
    const isInGracePeriod = schedule.stage === 'ended' && schedule.at !== null;
    if (signal === 'ended') return isInGracePeriod ? schedule : { stage: 'ended', at: graceEnd };
    if (isInGracePeriod) return schedule;
    if (signal === 'paused')
      return schedule.stage === 'ended' ? { stage: 'ended', at: graceEnd } : { stage: 'paused', at: pauseEnd };
    if (signal === 'resumed' || schedule.stage === null) return { stage: null, at: silenceEnd };
    return { stage: schedule.stage, at: schedule.stage === 'ended' ? graceEnd : pauseEnd };
  }, current);
}
