import { describe, expect, it } from '@jest/globals';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { Backtest, backtestExecutionOf } from '../backtest/backtest.js';
import { CYCLE_DEFAULTS, CycleReader, finishCycle, runCycle } from './cycle.js';

const STALE = 'E17: the state of the job is stale';
const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };
/** The job fails with any preceding call; python3 overcomes that, or does not. */
const overcome = [run('python job.py', STALE), run('python job.py', STALE), run('python3 job.py')];
const inVain = [run('python job.py', STALE), run('python3 job.py', STALE), run('python job.py', STALE)];

const none = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

/** Eight agents make the first calls, sixteen the second. */
function reported(first: ToolCall[], second: ToolCall[]): StoredExecution[] {
  return Array.from({ length: 24 }, (_, n) => ({
    id: `e-${n}`,
    agentId: `agent-${n}`,
    agentName: `Agent ${n}`,
    owner: 'owner',
    rootExecutionKey: `e-${n}`,
    origin: `origin-${n}`,
    finishedAt: '2026-03-01T10:00:00Z',
    report: { toolCalls: n < 8 ? first : second, status: 'completed', verification: { outcome: 'none' } },
  }));
}

const cycle = (first: ToolCall[], second: ToolCall[]) =>
  runCycle({ executions: reported(first, second), ...none, settings: CYCLE_DEFAULTS });

describe('a remedy that depends on the calls before a failure', () => {
  it('has its own pattern if it works only after these calls', () => {
    const { drafts } = cycle([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    expect(drafts.map(({ text }) => text.title)).toEqual([
      'Run `python3 job.py` instead of `python job.py` after make restore',
    ]);
    expect(drafts[0]?.text.condition).toMatch(/^Right after make restore: about to run `python job.py`/);
    expect(drafts[0]?.evidence).toMatchObject({
      chosen: { how: 'replace', action: 'python3', following: 'make restore', outcome: { successes: 8, n: 8 } },
      repeat: { successes: 0, n: 8 },
    });
  });

  it('may depend on two calls of which the last one alone is not enough', () => {
    const { drafts } = cycle(
      [run('make stop'), run('ls'), run('make restore'), ...overcome],
      [run('make clean'), run('make restore'), ...inVain],
    );
    expect(drafts.map(({ evidence }) => evidence.chosen.following)).toEqual(['make stop > make restore']);
  });

  it('is reported without context if it works after any calls', () => {
    const { drafts } = cycle([run('make restore'), ...overcome], [run('make clean'), ...overcome]);
    expect(drafts.map(({ text }) => text.title)).toEqual(['Run `python3 job.py` instead of `python job.py`']);
    expect(drafts[0]?.evidence.chosen.following).toBeUndefined();
  });

  it('does not depend on calls that only look at something, that failed, or that lie further back', () => {
    const far = [run('make restore'), ...Array.from({ length: 5 }, () => run('cat job.py'))];
    for (const before of [[run('ls src')], [run('make restore', 'make: *** broken')], far]) {
      const { drafts } = cycle([...before, ...overcome], inVain);
      expect(drafts.filter(({ evidence }) => evidence.chosen.following !== undefined)).toEqual([]);
    }
  });

  it('is counted the same by a sliding window and by a new one', () => {
    const executions = reported([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    const early = reported([run('make clean'), ...overcome], [run('make restore'), ...inVain]).map((one) => ({
      ...one,
      id: `early ${one.id}`,
    }));
    const reader = new CycleReader();
    for (const one of [...early, ...executions]) reader.add(one);
    for (const one of early) reader.remove(observe(one));
    expect(finishCycle(reader, none, CYCLE_DEFAULTS)).toEqual(
      runCycle({ executions, ...none, settings: CYCLE_DEFAULTS }),
    );
  });

  it('is not tested on executions without the failure, which do not show what came before', () => {
    const executions = reported([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    const [draft] = runCycle({ executions, ...none, settings: CYCLE_DEFAULTS }).drafts;
    if (!draft) throw new Error('no draft');
    const test = new Backtest(draft);
    for (const one of executions) test.add(backtestExecutionOf(observe(one)));
    expect(test.result()).toMatchObject({ verdict: 'not_enough_evidence', read: 24, tested: 0 });
  });
});
