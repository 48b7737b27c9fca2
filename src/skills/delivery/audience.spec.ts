import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf, isDeliveredTo, ROLLOUT_PERCENTS, receives } from './audience.js';

const agents = Array.from({ length: 4_000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const inside = (skill: string, percent: 5 | 25 | 100) => agents.filter((agent) => receives(percent, skill, agent));

describe('the audience of a skill', () => {
  it('is the same at every look, and over releases', () => {
    expect(bucketOf('use-python3', agents[0] ?? '')).toBe(bucketOf('use-python3', agents[0] ?? ''));
    expect(bucketOf('use-python3', agents[0] ?? '')).toBeCloseTo(17.414697395378198, 9);
  });

  it('is a place from 0 up to, and without, 100', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), (skill, agent) => {
        const bucket = bucketOf(skill, agent);
        return bucket >= 0 && bucket < 100;
      }),
    );
  });

  it('keeps at each stage of the ramp whom it had at the one before, and has everybody at the last', () => {
    for (const [n, percent] of ROLLOUT_PERCENTS.entries()) {
      const next = ROLLOUT_PERCENTS[n + 1];
      if (next) expect(inside('a-skill', next)).toEqual(expect.arrayContaining(inside('a-skill', percent)));
    }
    expect(inside('a-skill', 100)).toHaveLength(agents.length);
  });

  it('is about as large as it says', () => {
    // Six standard deviations of a binomial with 4,000 draws.
    expect(Math.abs(inside('a-skill', 5).length - 200)).toBeLessThan(83);
    expect(Math.abs(inside('a-skill', 25).length - 1_000)).toBeLessThan(165);
  });

  it('is another one for another skill: nobody is left out of everything', () => {
    const one = new Set(inside('one-skill', 25));
    const both = inside('another-skill', 25).filter((agent) => one.has(agent)).length;
    expect(Math.abs(both - 250)).toBeLessThan(92);
  });

  it('cannot be shared by moving letters between the name and the agent', () => {
    expect(bucketOf('ab', 'c')).not.toBe(bucketOf('a', 'bc'));
  });

  it('is everything for people, and for the public what everybody receives', () => {
    expect(ROLLOUT_PERCENTS.map((percent) => isDeliveredTo('everything', percent, 'a-skill'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(ROLLOUT_PERCENTS.map((percent) => isDeliveredTo('public', percent, 'a-skill'))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
