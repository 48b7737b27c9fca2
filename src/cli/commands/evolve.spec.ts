import { describe, expect, it } from '@jest/globals';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { nextAfter } from './evolve.js';

const cycle = (executionsRead: number, proposals: number, dryRun = false): Pick<Cycle, 'report' | 'dryRun'> => {
  // Only these are read.
  const report = { executionsRead, proposals: Array.from({ length: proposals }) } as unknown as Cycle['report'];
  return { report, dryRun };
};

describe('what guildbook evolve says after a cycle', () => {
  it('is how to begin, if no agent has reported', () => {
    expect(nextAfter(cycle(0, 0))).toContain('guildbook connect <product>');
    expect(nextAfter({ report: null, dryRun: false })).toContain('No agent has reported yet');
  });

  it('is how to decide on what was proposed', () => {
    expect(nextAfter(cycle(3, 1))).toContain('guildbook proposals list');
    expect(nextAfter(cycle(3, 1, true))).toBe('To propose it: guildbook evolve');
  });

  it('is what it waits for, if nothing was proposed', () => {
    expect(nextAfter(cycle(3, 0))).toContain('when the same failure comes back');
  });
});
