import { describe, expect, it } from '@jest/globals';
import type { Effect } from './effect.js';
import { describeEffect } from './effects.service.js';

const EFFECT: Effect = {
  with: { agents: 10, executions: 200, failures: 20, rate: 0.1 },
  without: { agents: 30, executions: 600, failures: 300, rate: 0.5 },
  difference: 0.4,
  interval: [0.255, 0.545],
  level: 0.95,
  verdict: 'helps',
};
const NOTHING = { agents: 0, executions: 0, failures: 0, rate: null };

describe('the description of an effect', () => {
  it('contains the verdict, both rates with their counts, and the interval', () => {
    expect(describeEffect(EFFECT, { compared: true, over: false })).toBe(
      'It helps: the failure occurred in 20 of 200 executions of 10 agents (10 %) with it and in 300 of 600 executions ' +
        'of 30 agents (50 %) without; the difference is between 25.5 and 54.5 percentage points (95 %, at every look).',
    );
  });

  it('names each verdict', () => {
    const text = (['helps', 'no-difference-yet', 'harms', 'not-enough-data'] as const).map(
      (verdict) => describeEffect({ ...EFFECT, verdict }, { compared: true, over: false }).split(':')[0],
    );
    expect(text).toEqual(['It helps', 'No difference yet', 'It harms', 'Not enough data']);
  });

  it('contains no rate without executions, and no interval if there is none', () => {
    const empty: Effect = { ...EFFECT, with: NOTHING, difference: null, interval: null, verdict: 'not-enough-data' };
    const text = describeEffect(empty, { compared: true, over: false });
    expect(text).toContain('in 0 of 0 executions of 0 agents with it');
    expect(text).not.toMatch(/NaN|null|interval|difference/);
  });

  it('says if every agent has the skill now, or had it from the start', () => {
    expect(describeEffect(EFFECT, { compared: true, over: true })).toMatch(/^Every agent receives it now; .*It helps/);
    expect(describeEffect(EFFECT, { compared: false, over: true })).toBe(
      'Every agent has received it from the start, so there is no comparison.',
    );
  });
});
