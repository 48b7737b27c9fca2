import { describe, expect, it } from '@jest/globals';
import { type ArmsOfExecution, type Entrant, triedBy } from './comparison.js';
import { leftOut } from './left-out.js';

/** An execution of two calls with these results, of which the sides are tries. */
function entrant(n: number, agents: number, sides: Partial<ArmsOfExecution>, results: boolean[]): Entrant {
  const arms = { with: undefined, without: undefined, known: results, results, ...sides };
  return { agentId: `agent ${n % agents}`, harness: `harness ${n % 2}`, arms, tried: triedBy(arms) };
}

/** The repeated call failed and the taught one worked. */
const better = (n: number, agents: number) => entrant(n, agents, { with: 1, without: 0 }, [false, true]);
/** Each has one side, so that there are no pairs. */
const oneSided = (n: number, agents: number) =>
  n % 3 === 0 ? entrant(n, agents, { without: 1 }, [true, false]) : entrant(n, agents, { with: 1 }, [false, true]);

const all = (count: number, agents: number, of = better) => Array.from({ length: count }, (_, n) => of(n, agents));
const harnessOf = ({ harness }: Entrant) => harness;

describe('leaving an agent out', () => {
  it.each([
    ['pairs', better, 4],
    ['shuffles', oneSided, 5],
  ])('costs no more for each of many agents with the same tries, if %s decide', (_, of, most) => {
    const entrants = all(400, 400, of);
    let asked = 0;
    const agentOf = ({ agentId }: Entrant): string => {
      asked++;
      return agentId;
    };
    expect(leftOut('after', entrants, agentOf)).toMatchObject({ of: 400 });
    expect(asked).toBeLessThan(most * entrants.length);
  });

  it('counts each of several groups, and says nothing about a single one', () => {
    const entrants = all(40, 4);
    expect(leftOut('after', entrants, harnessOf)).toEqual({ confirmed: 2, of: 2 });
    expect(leftOut('after', all(40, 1), ({ agentId }) => agentId)).toBeNull();
  });

  it('takes executions that do not name their harness for no harness, and not for one that confirms another', () => {
    const unnamed = (n: number) => ({ ...better(n, 4), harness: undefined });
    const of = (entrants: readonly Entrant[]) => leftOut('after', entrants, harnessOf);
    const named = all(4, 4);
    const others = Array.from({ length: 40 }, (_, n) => unnamed(n + 4));
    expect(of([...named.filter(({ harness }) => harness === 'harness 0'), ...others])).toBeNull();
    // two executions of the other harness alone confirm nothing
    expect(of([...named, ...others])).toEqual({ confirmed: 0, of: 2 });
    expect(of(others)).toEqual({ confirmed: 0, of: 0 });
  });

  it('repeats the shuffles without each group if there are no pairs', () => {
    const byHarness = (name: (n: number) => string, isFixed = false) =>
      leftOut(
        'after',
        all(60, 5, oneSided).map((one, n) => ({
          ...one,
          harness: name(n),
          ...(isFixed ? { arms: { ...one.arms, known: [undefined, undefined] } } : {}),
        })),
        harnessOf,
      );
    expect(byHarness((n) => `harness ${n % 4}`)).toEqual({ confirmed: 4, of: 4 });
    expect(byHarness((n) => (n < 52 ? 'all' : 'few'))).toEqual({ confirmed: 1, of: 2 });
    expect(byHarness((n) => `harness ${n % 4}`, true)).toEqual({ confirmed: 0, of: 4 });
  });
});
