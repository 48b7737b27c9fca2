import { describe, expect, it } from '@jest/globals';
import type { PieceSays } from '../importers/gathered-format.js';
import { type Due, nextDue } from './gathering.js';

const START = new Date('2026-03-31T18:00:00Z');
const NOTHING: Due = { stage: null, at: null };
const patience = { quietSeconds: 15, pauseMinutes: 30 };
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000);

/** What is due after pieces that came one second after the other. */
function dueAfter(...says: PieceSays[]): { stage: string | null; seconds: number | null } {
  const due = says.reduce<Due>((current, said, n) => nextDue(current, [said], later(n), patience), NOTHING);
  return { stage: due.stage, seconds: due.at && (due.at.getTime() - START.getTime()) / 1_000 };
}

describe('the time at which pieces are put together', () => {
  it('does not come while nothing says that it has ended', () => {
    expect(dueAfter('nothing', 'goes-on', 'nothing')).toEqual({ stage: null, seconds: null });
  });

  it('comes soon after an end, and is not moved by stragglers', () => {
    expect(dueAfter('nothing', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
    expect(dueAfter('nothing', 'ended', 'nothing', 'paused', 'goes-on', 'ended')).toEqual({
      stage: 'ended',
      seconds: 16,
    });
  });

  it('comes long after a pause, and is moved by whatever follows', () => {
    expect(dueAfter('paused')).toEqual({ stage: 'paused', seconds: 1_800 });
    expect(dueAfter('paused', 'nothing', 'nothing')).toEqual({ stage: 'paused', seconds: 1_802 });
    expect(dueAfter('paused', 'goes-on')).toEqual({ stage: null, seconds: null });
    expect(dueAfter('paused', 'ended')).toEqual({ stage: 'ended', seconds: 16 });
  });

  it('comes again for what is late, as soon as it did before', () => {
    const reported = (stage: 'ended' | 'paused'): Due => ({ stage, at: null });
    expect(nextDue(reported('ended'), ['nothing'], START, patience)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextDue(reported('ended'), ['paused'], START, patience)).toEqual({ stage: 'ended', at: later(15) });
    expect(nextDue(reported('paused'), ['nothing'], START, patience)).toEqual({ stage: 'paused', at: later(1_800) });
  });

  it('does not come for a session that somebody took up again', () => {
    expect(nextDue({ stage: 'ended', at: null }, ['goes-on', 'nothing'], START, patience)).toEqual(NOTHING);
  });
});
