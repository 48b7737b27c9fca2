import { describe, expect, it } from '@jest/globals';
import { type CycleDuty, isCycleDue } from './cycle-due.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
/** A cycle of six seconds at minute 100, and an execution at minute 101. */
const DUTY: CycleDuty = {
  isTimed: false,
  hasReviewer: true,
  newest: at(101),
  isReading: false,
  last: { startedAt: at(100), finishedAt: new Date(at(100).getTime() + 6_000) },
};
const isDue = (more: Partial<CycleDuty>, minute: number): boolean => isCycleDue({ ...DUTY, ...more }, at(minute));

describe('a scheduled cycle', () => {
  it('starts for the first time once an execution was read', () => {
    expect(isDue({ last: null, newest: null }, 200)).toBe(false);
    expect(isDue({ last: null, isReading: true }, 200)).toBe(false);
    expect(isDue({ last: null }, 200)).toBe(true);
  });

  it('waits while no person can decide', () => {
    expect(isDue({ hasReviewer: false, last: null }, 200)).toBe(false);
    expect(isDue({ hasReviewer: false }, 2_000)).toBe(false);
  });

  it('waits for an execution since the last one, but not longer than a day', () => {
    expect(isDue({ newest: at(99) }, 1_000)).toBe(false);
    expect(isDue({ newest: at(99) }, 100 + 24 * 60)).toBe(true);
  });

  it('takes at most a hundredth of the time', () => {
    expect([isDue({}, 109), isDue({}, 110)]).toEqual([false, true]);
  });

  it('waits until a minute passes without an execution, and all are read, but not longer than an hour', () => {
    expect([isDue({ isReading: true }, 159), isDue({ isReading: true }, 160)]).toEqual([false, true]);
    expect([isDue({ newest: at(129) }, 129), isDue({ newest: at(129) }, 130)]).toEqual([false, true]);
    expect([isDue({ newest: at(159) }, 159), isDue({ newest: at(160) }, 160)]).toEqual([false, true]);
  });

  it('starts at the times of an operator, if an execution arrived', () => {
    expect(isDue({ isTimed: true, isReading: true }, 101)).toBe(true);
    expect(isDue({ isTimed: true, isReading: true, last: null }, 101)).toBe(true);
    expect(isDue({ isTimed: true, newest: at(99) }, 101)).toBe(false);
    expect(isDue({ isTimed: true, hasReviewer: false }, 101)).toBe(false);
  });

  it('counts a cycle that runs or died from its start', () => {
    expect(isDue({ last: { startedAt: at(100), finishedAt: null } }, 102)).toBe(true);
  });
});
