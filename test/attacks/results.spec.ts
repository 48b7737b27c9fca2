import { describe, expect, it } from '@jest/globals';
import { attempt } from './attack.js';
import { summaryOf, tableOf } from './results.js';
import { allSections } from './sections.js';

const HELD = { section: 'git', database: 'embedded', attempts: [attempt('a hook runs', true, 'no')], seconds: 1.25 };
const THROUGH = { ...HELD, database: 'postgresql', attempts: [attempt('a hook runs', false, 'it ran')] };
const FAILED = { ...HELD, section: 'push', attempts: [], failure: 'the server does not start' };

describe('the results of the attacks', () => {
  it('count the attempts and those that went through', () => {
    expect(summaryOf([HELD, THROUGH])).toEqual({ attempts: 2, through: 1 });
  });

  it('count a section that could not run', () => {
    expect(summaryOf([HELD, FAILED])).toEqual({ attempts: 1, through: 0, failed: 1 });
  });

  it('name each attempt that went through, and why a section failed', () => {
    const table = tableOf([HELD, THROUGH, FAILED]);
    expect(table).toContain('THROUGH  git, postgresql: a hook runs: it ran');
    expect(table).toContain('FAILED   push, embedded: the server does not start');
    expect(table).not.toContain('THROUGH  git, embedded');
  });

  it('come from sections with different names', async () => {
    const names = (await allSections()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });
});
