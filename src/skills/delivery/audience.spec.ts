import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { armOf, bucketOf, isDeliveredTo, ROLLOUT_PERCENTS, receives } from './audience.js';

const agents = Array.from({ length: 4_000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const inside = (skill: string, percent: 5 | 25 | 100) => agents.filter((agent) => receives(percent, skill, agent));

describe('the bucket of an agent', () => {
  it('is stable, also across releases', () => {
    expect(bucketOf('use-python3', agents[0] ?? '')).toBe(bucketOf('use-python3', agents[0] ?? ''));
    expect(bucketOf('use-python3', agents[0] ?? '')).toBeCloseTo(17.414697395378198, 9);
  });

  it('is a number from 0 up to, but not including, 100', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), (skill, agent) => {
        const bucket = bucketOf(skill, agent);
        return bucket >= 0 && bucket < 100;
      }),
    );
  });

  it('keeps the agents of one stage in the next, and the last stage contains all agents', () => {
    for (const [n, percent] of ROLLOUT_PERCENTS.entries()) {
      const next = ROLLOUT_PERCENTS[n + 1];
      if (next) expect(inside('a-skill', next)).toEqual(expect.arrayContaining(inside('a-skill', percent)));
    }
    expect(inside('a-skill', 100)).toHaveLength(agents.length);
  });

  it('divides the agents in about the given proportion', () => {
    // Six standard deviations of a binomial with 4,000 draws.
    expect(Math.abs(inside('a-skill', 5).length - 200)).toBeLessThan(83);
    expect(Math.abs(inside('a-skill', 25).length - 1_000)).toBeLessThan(165);
  });

  it('differs from skill to skill, so that no agent is left out of everything', () => {
    const one = new Set(inside('one-skill', 25));
    const both = inside('another-skill', 25).filter((agent) => one.has(agent)).length;
    expect(Math.abs(both - 250)).toBeLessThan(92);
  });

  it('cannot be shared by moving letters between the skill name and the agent id', () => {
    expect(bucketOf('ab', 'c')).not.toBe(bucketOf('a', 'bc'));
  });

  it('does not matter for people, who see everything, and for the public, which sees skills at 100 %', () => {
    expect(ROLLOUT_PERCENTS.map((percent) => isDeliveredTo('everything', { percent }, 'a-skill'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(ROLLOUT_PERCENTS.map((percent) => isDeliveredTo('public', { percent }, 'a-skill'))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('does not matter for the agents of another owner, which are in neither group, while a skill is bound to one', () => {
    const boundTo = { owner: 'rita', agentIds: new Set(agents.slice(0, 40)) };
    const limits = [undefined, { percent: 100 as const, boundTo }, { percent: 25 as const, boundTo }];
    const arms = (limit: (typeof limits)[number], of: readonly string[]) =>
      new Set(of.map((agent) => armOf(limit, 'a-skill', agent)));
    expect(limits.map((limit) => arms(limit, agents.slice(40)))).toEqual([
      new Set(['delivered']),
      new Set([undefined]),
      new Set([undefined]),
    ]);
    expect(arms(limits[1], agents.slice(0, 40))).toEqual(new Set(['delivered']));
    expect(arms(limits[2], agents.slice(0, 40))).toEqual(new Set(['delivered', 'withheld']));
    expect(limits.map((limit) => isDeliveredTo('public', limit, 'a-skill'))).toEqual([true, false, false]);
  });
});
