import { describe, expect, it } from '@jest/globals';
import type { Entrant } from './comparison.js';
import { leftOut } from './left-out.js';

/** An execution in which the repeated call failed and the taught one worked. */
const better = (n: number, agents: number): Entrant => ({
  agentId: `agent ${n % agents}`,
  harness: `harness ${n % 2}`,
  known: [false, true],
  arms: () => ({ with: true, without: false }),
  tried: { with: true, without: false },
});

const all = (count: number, agents: number) => Array.from({ length: count }, (_, n) => better(n, agents));
const byAgent = (entrants: readonly Entrant[]) => leftOut('after', entrants, ({ agentId }) => agentId);
const byHarness = (entrants: readonly Entrant[]) => leftOut('after', entrants, ({ harness }) => harness);

describe('leaving an agent out', () => {
  it('counts each of several groups, and says nothing about a single one', () => {
    expect(byAgent(all(400, 400))).toEqual({ confirmed: 400, of: 400 });
    expect(byHarness(all(40, 4))).toEqual({ confirmed: 2, of: 2 });
    expect(byAgent(all(40, 1))).toBeNull();
  });

  it('takes executions that do not name their harness for no harness, and not for one that confirms another', () => {
    const unnamed = (n: number) => ({ ...better(n, 4), harness: undefined });
    const named = all(4, 4);
    const others = Array.from({ length: 40 }, (_, n) => unnamed(n + 4));
    expect(byHarness([...named.filter(({ harness }) => harness === 'harness 0'), ...others])).toBeNull();
    // two executions of the other harness alone confirm nothing
    expect(byHarness([...named, ...others])).toEqual({ confirmed: 0, of: 2 });
    expect(byHarness(others)).toEqual({ confirmed: 0, of: 0 });
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
    expect(byHarness(oneSided((n) => `harness ${n % 4}`))).toEqual({ confirmed: 4, of: 4 });
    expect(byHarness(oneSided((n) => (n < 52 ? 'all' : 'few')))).toEqual({ confirmed: 1, of: 2 });
    const unmoved = oneSided((n) => `harness ${n % 4}`).map((one) => ({ ...one, arms: () => one.tried }));
    expect(byHarness(unmoved)).toEqual({ confirmed: 0, of: 4 });
  });
});
