import { describe, expect, it } from '@jest/globals';
import { type FamilyOutcomes, mergedOutcomes, NO_OUTCOMES, standingOf, waysText } from './family-outcomes.js';

const outcomes = (
  agents: Partial<FamilyOutcomes['parties']>,
  repeats: FamilyOutcomes['repeats'] = { worked: 0, n: 9 },
  repeaters: readonly string[] = [],
): FamilyOutcomes => ({
  ...NO_OUTCOMES,
  repeats,
  repeaters,
  parties: { ...NO_OUTCOMES.parties, ...agents },
  runs: { ...NO_OUTCOMES.runs, ...Object.fromEntries(Object.entries(agents).map(([kind, ids]) => [kind, ids.length])) },
});

describe('a family without a lesson', () => {
  it('is unsolved only if no execution got past it', () => {
    expect(standingOf(outcomes({ open: ['ada', 'ben'] }))).toBe('unsolved');
    expect(standingOf(outcomes({ open: ['ada', 'ben'], left: ['cleo'] }))).toBe('unsolved');
    for (const kind of ['overcome', 'repeated', 'edited', 'skipped', 'passed'] as const)
      for (const agents of [['ada'], ['ada', 'ben']])
        expect(standingOf(outcomes({ [kind]: agents }))).not.toBe('unsolved');
  });

  it.each([
    ['too_few_agents', outcomes({ overcome: ['ada'], passed: ['ada'] })],
    ['no_proven_remedy', outcomes({ overcome: ['ada', 'ben'], repeated: ['cleo', 'dan'], skipped: ['eve'] })],
    ['passing', outcomes({ overcome: ['ada'], repeated: ['ben', 'cleo'] })],
    ['passing', outcomes({ overcome: ['ada', 'ben'], repeated: ['cleo'] }, { worked: 2, n: 4 }, ['ada', 'cleo'])],
    // One agent repeated it many times.
    ['no_proven_remedy', outcomes({ overcome: ['ada', 'ben'], repeated: ['cleo'] }, { worked: 9, n: 9 }, ['cleo'])],
    ['normal_work', outcomes({ edited: ['ada', 'ben'], overcome: ['cleo'], open: ['dan'] })],
    ['normal_work', outcomes({ left: ['ada', 'ben', 'cleo'], open: ['dan'] })],
    ['no_proven_remedy', outcomes({ edited: ['ada', 'ben'], overcome: ['cleo', 'dan', 'eve'] })],
    // The same agents overcame it in more executions than those in which they corrected something.
    [
      'no_proven_remedy',
      {
        ...outcomes({ edited: ['ada', 'ben'], overcome: ['ada', 'ben'] }),
        runs: { ...NO_OUTCOMES.runs, edited: 3, overcome: 9 },
      },
    ],
    ['no_proven_remedy', outcomes({ overcome: ['ada', 'ben'] }, { worked: 1, n: 2 })],
    ['only_skipped_a_check', outcomes({ skipped: ['ada', 'ben'], passed: ['cleo'] })],
    ['not_advisable', outcomes({ skipped: ['ada'], passed: ['ben', 'cleo'] })],
  ])('is %s', (standing, given) => {
    expect(standingOf(given)).toBe(standing);
  });

  it('counts an agent once and adds up equal ways, those of the most executions first', () => {
    const way = (call: string, executions: number, because: string | null = null) => ({
      calls: [call],
      because,
      executions,
    });
    const { parties, ways, repeats } = mergedOutcomes([
      { ...outcomes({ overcome: ['ben', 'ada'] }), ways: [way('make b', 1), way('sudo make', 2, 'takes more rights')] },
      { ...outcomes({ overcome: ['ada'], repeated: ['cleo'] }), ways: [way('make a', 1), way('make b', 2)] },
    ]);
    expect(parties).toMatchObject({ overcome: ['ada', 'ben'], repeated: ['cleo'] });
    expect(repeats).toEqual({ worked: 0, n: 18 });
    const lost = [3, 1].map((calls) => ({ ...NO_OUTCOMES, lost: { calls, executions: 1 } }));
    expect(mergedOutcomes(lost).lost).toEqual({ calls: 4, executions: 2 });
    expect(waysText(ways)).toBe('`make b` (3); `sudo make` (2, takes more rights); `make a` (1)');
  });
});
