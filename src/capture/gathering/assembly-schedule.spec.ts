import { describe, expect, it } from '@jest/globals';
import type { FragmentSignal } from '../importers/fragment-format.js';
import { type AssemblySchedule, nextSchedule } from './assembly-schedule.js';

const START = new Date('2026-03-31T18:00:00Z');
const NOTHING: AssemblySchedule = { stage: null, at: null };
const delays = { graceSeconds: 15, pauseMinutes: 30 };
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000);

/** What is due after pieces that came one second after the other. */
function dueAfter(...says: FragmentSignal[]): { stage: string | null; seconds: number | null } {
  const due = says.reduce<AssemblySchedule>(
    (current, said, n) => nextSchedule(current, [said], later(n), delays),
    NOTHING,
  );
  return { stage: due.stage, seconds: due.at && (due.at.getTime() - START.getTime()) / 1_000 };
}

describe('the time at which pieces are put together', () => {
  it('does not come while nothing says that it has ended', () => {
    expect(dueAfter('none', 'resumed', 'none')).toEqual({ stage: null, seconds: null });
  });

  it('comes soon after an end, and is not moved by stragglers', () => {
    expect(dueAfter('none', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
    expect(dueAfter('none', 'ended', 'none', 'paused', 'resumed', 'ended')).toEqual({
      stage: 'ended',
      seconds: 16,
    });
  });

  it('comes long after a pause, and is moved by whatever follows', () => {
    expect(dueAfter('paused')).toEqual({ stage: 'paused', seconds: 1_800 });
    expect(dueAfter('paused', 'none', 'none')).toEqual({ stage: 'paused', seconds: 1_802 });
    expect(dueAfter('paused', 'resumed')).toEqual({ stage: null, seconds: null });
    expect(dueAfter('paused', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
  });

  it('comes again for what is late, as soon as it did before', () => {
    const reported = (stage: 'ended' | 'paused'): AssemblySchedule => ({ stage, at: null });
    expect(nextSchedule(reported('ended'), ['none'], START, delays)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextSchedule(reported('ended'), ['paused'], START, delays)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextSchedule(reported('paused'), ['none'], START, delays)).toEqual({ stage: 'paused', at: later(1_800) });
  });

  it('does not come for a session that somebody took up again', () => {
    expect(nextSchedule({ stage: 'ended', at: null }, ['resumed', 'none'], START, delays)).toEqual(NOTHING);
  });
});
