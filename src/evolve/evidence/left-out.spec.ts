import { describe, expect, it } from '@jest/globals';
import type { Entrant } from './comparison.js';
import { leftOut } from './left-out.js';
import { permutationOf } from './permutation.js';

/** An execution in which the repeated call failed and the taught one worked. */
const better = (n: number, agents: number): Entrant => ({
  agentId: `agent ${n % agents}`,
  harness: `harness ${n % 2}`,
  known: [false, true],
  arms: () => ({ with: true, without: false }),
  tried: { with: true, without: false },
});

const all = (count: number, agents: number) => Array.from({ length: count }, (_, n) => better(n, agents));

describe('leaving an agent out', () => {
  it('costs no more for each of many agents with the same tries', () => {
    const entrants = all(400, 400);
    let asked = 0;
    const agentOf = ({ agentId }: Entrant): string => {
      asked++;
      return agentId;
    };
    const result = leftOut('after', entrants, agentOf, () => permutationOf('after', entrants, agentOf));
    expect(result).toEqual({ confirmed: 400, of: 400 });
    expect(asked).toBeLessThan(4 * entrants.length);
  });

  it('counts each of several groups, and says nothing about a single one', () => {
    const entrants = all(40, 4);
    const none = () => permutationOf('after', entrants, ({ agentId }) => agentId);
    expect(leftOut('after', entrants, ({ harness }) => harness, none)).toEqual({ confirmed: 2, of: 2 });
    expect(leftOut('after', all(40, 1), ({ agentId }) => agentId, none)).toBeNull();
  });

  it('takes executions that do not name their harness for no harness, and not for one that confirms another', () => {
    const unnamed = (n: number) => ({ ...better(n, 4), harness: undefined });
    const none = (known: readonly Entrant[]) => permutationOf('after', known, ({ harness }) => harness);
    const of = (entrants: readonly Entrant[]) => leftOut('after', entrants, ({ harness }) => harness, none);
    const named = all(4, 4);
    const others = Array.from({ length: 40 }, (_, n) => unnamed(n + 4));
    expect(of([...named.filter(({ harness }) => harness === 'harness 0'), ...others])).toBeNull();
    // two executions of the other harness alone confirm nothing
    expect(of([...named, ...others])).toEqual({ confirmed: 0, of: 2 });
    expect(of(others)).toEqual({ confirmed: 0, of: 0 });
  });

  it('draws shuffles once for all groups, and only if pairs do not decide', () => {
    // each execution has one side, so that there are no pairs
    const entrants = all(60, 5).map((one, n) => {
      const tried = n % 3 === 0 ? { without: false } : { with: true };
      return { ...one, tried, arms: () => tried };
    });
    let drawn = 0;
    leftOut(
      'after',
      entrants,
      ({ harness }) => harness,
      () => {
        drawn++;
        return permutationOf('after', entrants, ({ harness }) => harness);
      },
    );
    expect(drawn).toBe(1);
    leftOut(
      'after',
      all(60, 6),
      ({ harness }) => harness,
      () => {
        drawn++;
        return permutationOf('after', [], ({ harness }) => harness);
      },
    );
    expect(drawn).toBe(1);
  });

  it('repeats the shuffles without each group if there are no pairs', () => {
    /** Each execution has one side. Its agents do both; only those of even numbers are right to. */
    const oneSided = (harnessOf: (n: number) => string) =>
      all(60, 5).map((one, n): Entrant => {
        const tried = n % 3 === 0 ? { without: false } : { with: true };
        const arms: Entrant['arms'] = ([, second]) =>
          n % 3 === 0 ? { without: second === 0 } : { with: second === 1 };
        return { ...one, harness: harnessOf(n), tried, arms };
      });
    const byHarness = (entrants: readonly Entrant[]) => {
      const harnessOf = ({ harness }: Entrant) => harness;
      return leftOut('after', entrants, harnessOf, (known) => permutationOf('after', known, harnessOf));
    };
    expect(byHarness(oneSided((n) => `harness ${n % 4}`))).toEqual({ confirmed: 4, of: 4 });
    expect(byHarness(oneSided((n) => (n < 52 ? 'all' : 'few')))).toEqual({ confirmed: 1, of: 2 });
    const unmoved = oneSided((n) => `harness ${n % 4}`).map((one) => ({ ...one, arms: () => one.tried }));
    expect(byHarness(unmoved)).toEqual({ confirmed: 0, of: 4 });
  });
});
