import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { alwaysValidHalfWidth } from './always-valid.js';
import { type AgentTally, EFFECT_MINIMUM, effectOf } from './effect.js';

/** `agents` agents with the same tally each. */
function arm(withSkill: boolean, agents: number, executions: number, failures: number): AgentTally[] {
  const prefix = withSkill ? 'with' : 'without';
  return Array.from({ length: agents }, (_, index) => ({
    agent: `${prefix}-${index}`,
    withSkill,
    executions,
    failures,
  }));
}

const swapped = (tallies: readonly AgentTally[]): AgentTally[] =>
  tallies.map((tally) => ({ ...tally, withSkill: !tally.withSkill }));

const OPPOSITE = {
  helps: 'harms',
  harms: 'helps',
  'no-difference-yet': 'no-difference-yet',
  'not-enough-data': 'not-enough-data',
} as const;

const anyTally: fc.Arbitrary<AgentTally> = fc
  .record({
    agent: fc.integer({ min: 0, max: 40 }).map(String),
    withSkill: fc.boolean(),
    stage: fc.constantFrom('5', '25', '100'),
    executions: fc.integer({ min: 0, max: 60 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...tally }) => ({ ...tally, failures: Math.round(share * tally.executions) }));
// too few for a verdict, or enough
const anyTallies = fc.oneof(
  fc.array(anyTally, { maxLength: 20 }),
  fc.array(anyTally, { minLength: 80, maxLength: 120 }),
);

describe('the effect of a skill', () => {
  it('is helpful if agents without it fail far more often', () => {
    const effect = effectOf([...arm(true, 60, 20, 2), ...arm(false, 60, 20, 10)]);
    expect(effect).toMatchObject({ verdict: 'helps', level: 0.95 });
    expect(effect.difference).toBeCloseTo(0.4, 10);
    expect(effect.with).toEqual({ agents: 60, executions: 1_200, failures: 120, rate: 0.1 });
    expect(effect.without).toEqual({ agents: 60, executions: 1_200, failures: 600, rate: 0.5 });
  });

  it('is harmful if agents with it fail far more often', () => {
    expect(effectOf([...arm(true, 60, 20, 10), ...arm(false, 60, 20, 2)]).verdict).toBe('harms');
  });

  it('is no difference yet if both arms fail alike', () => {
    const effect = effectOf([...arm(true, 60, 20, 5), ...arm(false, 60, 20, 5)]);
    expect(effect).toMatchObject({ difference: 0, verdict: 'no-difference-yet' });
  });

  it('is unknown, not zero, without any execution', () => {
    const emptyArm = { agents: 0, executions: 0, failures: 0, rate: null };
    expect(effectOf([])).toEqual({
      with: emptyArm,
      without: emptyArm,
      difference: null,
      interval: null,
      level: 0.95,
      verdict: 'not-enough-data',
    });
  });

  it('takes the executions of an agent as one observation, not as many', () => {
    const few = [...arm(true, 5, 200, 0), ...arm(false, 3, 200, 0), ...arm(false, 6, 200, 200).slice(3)];
    expect(effectOf(few)).toMatchObject({ verdict: 'no-difference-yet', difference: 0.5 });
  });

  it('weighs an agent by its executions', () => {
    const busy = { agent: 'busy', withSkill: true, executions: 40, failures: 0 };
    const effect = effectOf([...arm(true, 10, 10, 10), busy, ...arm(false, 10, 10, 10)]);
    expect(effect.difference).toBeCloseTo(1 - 100 / 140, 10);
  });
});

describe('too little data', () => {
  it.each([
    ['too few agents with the skill', [...arm(true, 4, 50, 0), ...arm(false, 50, 50, 50)]],
    ['too few agents without it', [...arm(true, 50, 50, 0), ...arm(false, 4, 50, 50)]],
    ['too few executions', [...arm(true, 29, 1, 0), ...arm(false, 50, 50, 50)]],
    ['no agent without it', arm(true, 50, 50, 0)],
    [
      'one agent with nearly all executions',
      [
        ...arm(true, 9, 1, 0),
        { agent: 'busy', withSkill: true, executions: 500, failures: 0 },
        ...arm(false, 50, 50, 50),
      ],
    ],
  ])('is reported as such: %s', (_, tallies) => {
    expect(effectOf(tallies)).toMatchObject({ verdict: 'not-enough-data', difference: null, interval: null });
  });

  it('ends at the documented minimum', () => {
    const { agents, executions } = EFFECT_MINIMUM;
    const tallies = [...arm(true, agents, executions / agents, 0), ...arm(false, agents, executions / agents, 0)];
    expect(effectOf(tallies).verdict).toBe('no-difference-yet');
  });

  it('is not made up for by agents without executions', () => {
    const idle = arm(true, 40, 0, 0).map((tally) => ({ ...tally, agent: `idle-${tally.agent}` }));
    const effect = effectOf([...arm(true, 4, 50, 0), ...idle, ...arm(false, 50, 50, 50)]);
    expect(effect).toMatchObject({ verdict: 'not-enough-data', with: { agents: 4 } });
  });
});

describe('a wide interval', () => {
  it.each([
    ['no failure in either arm', 0, 0],
    ['only failures in both', 12, 12],
    ['exactly half of them in both', 6, 6],
  ])('has a width with %s', (_, failuresWith, failuresWithout) => {
    const { interval } = effectOf([...arm(true, 5, 12, failuresWith), ...arm(false, 5, 12, failuresWithout)]);
    const [low, high] = interval ?? [0, 0];
    expect(high - low).toBeGreaterThan(0.3);
  });

  it('gives no verdict on five agents that never failed against five that failed one time in three', () => {
    expect(effectOf([...arm(true, 5, 12, 0), ...arm(false, 5, 12, 4)]).verdict).toBe('no-difference-yet');
  });

  it('follows the formulas, computed manually', () => {
    // ten agents per arm, ten executions each; half of the agents fail 0 (4) times, half 4 (8) times
    const half = (withSkill: boolean, from: number, failures: number): AgentTally[] =>
      arm(withSkill, 5, 10, failures).map((tally, index) => ({ ...tally, agent: `${withSkill} ${from + index}` }));
    const effect = effectOf([...half(true, 0, 0), ...half(true, 5, 4), ...half(false, 0, 4), ...half(false, 5, 8)]);
    // each agent moves its arm's rate by 2 / 100; 10 / 9 for ten agents; two halves of an imaginary agent
    const [withSkill, without] = [
      (10 * 0.02 ** 2 * 10) / 9 + (0.2 ** 2 + 0.8 ** 2) / 400,
      (10 * 0.02 ** 2 * 10) / 9 + (0.6 ** 2 + 0.4 ** 2) / 400,
    ];
    const variance = withSkill + without;
    const df = variance ** 2 / (withSkill ** 2 / 9 + without ** 2 / 9);
    const width = alwaysValidHalfWidth(variance, df, 0.95);
    expect(effect.difference).toBeCloseTo(0.4, 10);
    expect(effect.interval?.[0]).toBeCloseTo(0.4 - width, 10);
    expect(effect.interval?.[1]).toBeCloseTo(0.4 + width, 10);
  });

  it('does not exceed the bounds of a rate', () => {
    expect(effectOf([...arm(true, 6, 10, 0), ...arm(false, 6, 10, 10)]).interval?.[1]).toBe(1);
    expect(effectOf([...arm(true, 6, 10, 10), ...arm(false, 6, 10, 0)]).interval?.[0]).toBe(-1);
  });

  it('is wider at a higher level', () => {
    const tallies = [...arm(true, 30, 12, 1), ...arm(false, 30, 12, 3)];
    const width = ([low, high]: readonly [number, number]): number => high - low;
    const at95 = effectOf(tallies).interval ?? [0, 0];
    const at99 = effectOf(tallies, 0.99).interval ?? [0, 0];
    expect(width(at99)).toBeGreaterThan(width(at95));
  });
});

describe('the stages of a ramp', () => {
  // every agent fails less in the second stage, in which most agents have the skill; the skill has no effect
  const early = [...arm(true, 10, 20, 10), ...arm(false, 90, 20, 10)].map((tally) => ({ ...tally, stage: '5' }));
  const late = [...arm(true, 90, 20, 2), ...arm(false, 10, 20, 2)].map((tally) => ({ ...tally, stage: '25' }));

  it('are compared each within itself, so that a change over time is no effect', () => {
    const effect = effectOf([...early, ...late]);
    expect(effect.difference).toBeCloseTo(0, 10);
    expect(effect.verdict).toBe('no-difference-yet');
  });

  it('would give a wrong verdict if they were pooled', () => {
    const heap = [...early, ...late].map(({ stage: _, ...tally }) => tally);
    expect(effectOf(heap).verdict).toBe('helps');
  });

  it('make an agent that was in both arms its own control', () => {
    const stage = (name: string, odd: boolean): AgentTally[] =>
      Array.from({ length: 40 }, (_, index) => ({
        agent: `${index}`,
        withSkill: (index % 2 === 1) === odd,
        executions: 20,
        failures: index < 20 ? 2 : 14,
        stage: name,
      }));
    const same = [...stage('5', true), ...stage('25', false)];
    const strangers = same.map((tally) => ({ ...tally, agent: `${tally.stage} ${tally.agent}` }));
    expect(effectOf(same).interval?.[1]).toBeLessThan((effectOf(strangers).interval?.[1] ?? 0) / 2);
  });

  it('add nothing if every agent has the skill', () => {
    const comparable = [...arm(true, 20, 20, 5), ...arm(false, 20, 20, 8)];
    const all = arm(true, 500, 20, 0).map((tally) => ({ ...tally, stage: '100' }));
    const effect = effectOf([...comparable, ...all]);
    expect(effect.interval).toEqual(effectOf(comparable).interval);
    expect(effect.with.executions).toBe(20 * 20 + 500 * 20);
  });
});

describe('the algebra of effects', () => {
  it('changes sign if the arms are swapped', () => {
    fc.assert(
      fc.property(anyTallies, (tallies) => {
        const [effect, mirrored] = [effectOf(tallies), effectOf(swapped(tallies))];
        expect(mirrored.verdict).toBe(OPPOSITE[effect.verdict]);
        expect(mirrored.with).toEqual(effect.without);
        expect(mirrored.difference ?? 0).toBeCloseTo(-(effect.difference ?? 0), 10);
        expect(mirrored.interval?.[0] ?? 0).toBeCloseTo(-(effect.interval?.[1] ?? 0), 10);
      }),
    );
  });

  it('does not depend on the order of the tallies', () => {
    const shuffled = anyTallies.chain((tallies) =>
      fc.tuple(
        fc.constant(tallies),
        fc.shuffledSubarray(tallies, { minLength: tallies.length, maxLength: tallies.length }),
      ),
    );
    fc.assert(fc.property(shuffled, ([tallies, other]) => expect(effectOf(other)).toEqual(effectOf(tallies))));
  });

  it('has the difference in the interval, the interval in [-1, 1], and a verdict that follows from it', () => {
    fc.assert(
      fc.property(anyTallies, (tallies) => {
        const { difference, interval, verdict } = effectOf(tallies);
        expect(interval === null).toBe(verdict === 'not-enough-data');
        if (difference === null || interval === null) return;
        const [low, high] = interval;
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThan(high);
        expect(difference).toBeGreaterThanOrEqual(low);
        expect(difference).toBeLessThanOrEqual(high);
        expect(verdict === 'helps').toBe(low > 0);
        expect(verdict === 'harms').toBe(high < 0);
      }),
    );
  });

  it('is the same whether an agent’s tally of a stage comes in one piece or in two', () => {
    fc.assert(
      fc.property(anyTallies, (tallies) => {
        const pieces = tallies.flatMap((tally) => [
          { ...tally, executions: tally.failures },
          { ...tally, executions: tally.executions - tally.failures, failures: 0 },
        ]);
        const [whole, parts] = [effectOf(tallies), effectOf(pieces)];
        expect(parts.verdict).toBe(whole.verdict);
        expect(parts.interval?.[0] ?? 0).toBeCloseTo(whole.interval?.[0] ?? 0, 8);
      }),
    );
  });
});
