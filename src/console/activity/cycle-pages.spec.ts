import { describe, expect, it } from '@jest/globals';
import { failureList } from './cycle-pages.js';

const problems = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ action: `make target-${n}`, errorClass: 'exit-2', agents: 3, executions: 4, failures: 5 },
  }));

describe('the failures of a cycle', () => {
  it('are all on the page: twenty at once, the others below a line that counts them', () => {
    const { rows, more, opens, lead } = failureList('unsolved', problems(33));
    expect([rows.length, more.length, opens]).toEqual([20, 13, '13 more']);
    expect(lead).toContain('33 failures');
    expect([...rows, ...more].join('\n')).toContain('make target-32: exit-2, 5 failures of 3 agents');
  });

  it('have nothing to open when all are shown', () => {
    expect(failureList('unsolved', problems(20)).more).toEqual([]);
  });

  it('that were only overcome by skipping a check have a list of their own', () => {
    const { title, lead, rows } = failureList('skipped', problems(1));
    expect(title).toBe('Only overcome by skipping a check');
    expect(lead).toContain('1 failure that');
    expect(rows).toEqual(['make target-0: exit-2, 5 failures of 3 agents']);
  });
});
