import { describe, expect, it } from '@jest/globals';
import type { FragmentSignal } from '../importers/fragment-format.js';
import { type AssemblySchedule, nextSchedule } from './assembly-schedule.js';

const START = new Date('2026-03-31T18:00:00Z');
const NOTHING: AssemblySchedule = { stage: null, at: null };
const delays = { graceSeconds: 15, pauseMinutes: 30 };
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000);

/** The schedule after fragments that arrive one second apart. */
function dueAfter(...signals: FragmentSignal[]): { stage: string | null; seconds: number | null } {
  const schedule = signals.reduce<AssemblySchedule>(
    (current, signal, n) => nextSchedule(current, [signal], later(n), delays),
    NOTHING,
  );
  return { stage: schedule.stage, seconds: schedule.at && (schedule.at.getTime() - START.getTime()) / 1_000 };
}

describe('the time at which fragments are assembled', () => {
  it('is not set while no fragment signals an end', () => {
    expect(dueAfter('none', 'resumed', 'none')).toEqual({ stage: null, seconds: null });
  });

  it('is soon after an end, and late fragments do not move it', () => {
    expect(dueAfter('none', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
    expect(dueAfter('none', 'ended', 'none', 'paused', 'resumed', 'ended')).toEqual({
      stage: 'ended',
      seconds: 16,
    });
  });

  it('is long after a pause, and every further fragment moves it', () => {
    expect(dueAfter('paused')).toEqual({ stage: 'paused', seconds: 1_800 });
    expect(dueAfter('paused', 'none', 'none')).toEqual({ stage: 'paused', seconds: 1_802 });
    expect(dueAfter('paused', 'resumed')).toEqual({ stage: null, seconds: null });
    expect(dueAfter('paused', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
  });

  it('is set again for late fragments, with the same delay', () => {
    const reported = (stage: 'ended' | 'paused'): AssemblySchedule => ({ stage, at: null });
    expect(nextSchedule(reported('ended'), ['none'], START, delays)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextSchedule(reported('ended'), ['paused'], START, delays)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextSchedule(reported('paused'), ['none'], START, delays)).toEqual({ stage: 'paused', at: later(1_800) });
  });

  it('is an hour after the last event of a session that was killed, and every event moves it', () => {
    const killed = { ...delays, silenceMinutes: 60 };
    const dueWith = (...signals: FragmentSignal[]) =>
      signals.reduce<AssemblySchedule>(
        (current, signal, n) => nextSchedule(current, [signal], later(n), killed),
        NOTHING,
      );
    expect(dueWith('resumed')).toEqual({ stage: null, at: later(3_600) });
    expect(dueWith('resumed', 'none', 'none')).toEqual({ stage: null, at: later(3_602) });
    expect(dueWith('resumed', 'none', 'paused')).toEqual({ stage: 'paused', at: later(1_802) });
    expect(dueWith('paused', 'resumed')).toEqual({ stage: null, at: later(3_601) });
    expect(dueWith('none', 'ended')).toEqual({ stage: 'ended', at: later(16) });
  });

  it('is not set for a session that was resumed', () => {
    expect(nextSchedule({ stage: 'ended', at: null }, ['resumed', 'none'], START, delays)).toEqual(NOTHING);
  });
});
