import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, ReportedReader, readFromMemory } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import { windowFindings } from '../examination/window-examination.js';
import { RepeatRates } from './repeat-rates.js';

const lost = (program: string) => `${program}: app: No such file or directory`;
/** Two programs with a path that does not exist, and a build that passes on the second try. */
const LS: WorkKind = { of: 4, calls: [run('ls app', lost('ls')), run('ls app', lost('ls'))] };
const OTHER: WorkKind = { of: 3, calls: [run('wc app', 'wc: app: open: Not a directory'), run('wc app')] };
const FLAKY: WorkKind = { of: 5, calls: [run('make all', 'make: *** [all] Error 1'), run('make all')] };

function findings(...kinds: WorkKind[]): readonly FamilyFindings[] {
  const reader = new ReportedReader();
  for (const one of observedWork(kinds)) reader.add(one);
  return readFromMemory(windowFindings(reader, reader.index.families(), CYCLE_DEFAULTS), (id) => reader.reportOf(id));
}

const about = (all: readonly FamilyFindings[], action: string): FamilyFindings => {
  const found = all.find(({ family }) => family.actions.includes(action));
  if (!found) throw new Error(`no family of ${action}`);
  return found;
};

describe('the rate of repeating for a failure that was never repeated', () => {
  it('is that of the other failures if its kind is unknown', () => {
    const all = findings(LS, FLAKY);
    expect(new RepeatRates(all).excluding(about(all, 'make all'))).toMatchObject({ successes: 0, n: 4 });
  });

  it('is not that of another kind if its own kind is known', () => {
    const all = findings(LS, OTHER, FLAKY);
    const { n } = new RepeatRates(all).excluding(about(all, 'ls'));
    expect(n).toBeLessThan(4);
  });

  it('does not count the failure itself twice', () => {
    const all = findings(LS);
    expect(about(all, 'ls').outcomes.repeats).toEqual({ worked: 0, n: 4 });
    expect(new RepeatRates(all).excluding(about(all, 'ls'))).toMatchObject({ successes: 0, n: 0 });
  });
});
