import { describe, expect, it } from '@jest/globals';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../cycle/cycle.js';
import { PatternMiner } from './pattern.js';
import { RepeatRates } from './repeat-rates.js';

const read = (path: string, errorMessage?: string): ToolCall => {
  const call = { name: 'Read', action: JSON.stringify({ file_path: path }) };
  return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
};
const GONE = 'File does not exist.';
/** An agent would never try the same path again; another path is right in two of three cases. */
const found = [read('app/src/a.py', GONE), read('src/a.py')];
const guessed = [read('app/src/a.py', GONE), read('b/src/a.py', GONE), read('c/src/a.py', GONE)];
const lost = 'ls: app: No such file or directory';
const inVain = [run('ls app', lost), run('ls app', lost), run('ls app', lost)];
const flaky = [run('make all', 'make: *** [all] Error 1'), run('make all')];

function cycle(...kinds: WorkKind[]): CycleOutcome {
  const none = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  return runCycle({ executions: observedWork(kinds), ...none, settings: CYCLE_DEFAULTS });
}

const aboutReading = (outcome: CycleOutcome) => outcome.drafts.filter(({ evidence }) => evidence.tool !== 'shell');

describe('the rate of repeating for a failure that was never repeated', () => {
  const sometimes = [
    { of: 8, calls: found },
    { of: 2, calls: guessed },
  ];

  it('is that of other failures of its kind', () => {
    expect(aboutReading(cycle(...sometimes))).toHaveLength(0);
    expect(aboutReading(cycle(...sometimes, { of: 20, calls: inVain }))).toHaveLength(1);
  });

  it('is not that of another kind if its own kind is known', () => {
    const outcome = cycle(...sometimes, { of: 20, calls: inVain }, { of: 60, calls: flaky });
    expect(aboutReading(outcome)).toHaveLength(1);
  });

  it('does not count the failure itself twice', () => {
    const miner = new PatternMiner();
    for (const one of observedWork([{ of: 4, calls: inVain }])) miner.add(observe(one));
    const patterns = miner.patterns();
    const own = patterns.find(({ granularity }) => granularity === 'class');
    expect(own?.contrast.repeat.n).toBeGreaterThan(0);
    expect(own && new RepeatRates(patterns).excluding(own)).toMatchObject({ successes: 0, n: 0 });
  });
});
