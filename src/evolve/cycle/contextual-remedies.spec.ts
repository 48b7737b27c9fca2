import { describe, expect, it } from '@jest/globals';
import { observe } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { Backtest, backtestExecutionOf } from '../backtest/backtest.js';
import { CYCLE_DEFAULTS, CycleReader, finishCycle, runCycle } from './cycle.js';

const STALE = 'E17: the state of the job is stale';
const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };
/** The job fails whatever came before it, and python3 overcomes that or does not. */
const overcome = [run('python job.py', STALE), run('python job.py', STALE), run('python3 job.py')];
const inVain = [run('python job.py', STALE), run('python3 job.py', STALE), run('python job.py', STALE)];

const none = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };

/** Eight agents do the first, sixteen the second. */
function observed(first: ToolCall[], second: ToolCall[]) {
  return Array.from({ length: 24 }, (_, n) =>
    observe({
      id: `e-${n}`,
      agentId: `agent-${n}`,
      agentName: `Agent ${n}`,
      owner: 'owner',
      rootExecutionKey: `e-${n}`,
      origin: `origin-${n}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: { toolCalls: n < 8 ? first : second, status: 'completed', verification: { outcome: 'none' } },
    }),
  );
}

const cycle = (first: ToolCall[], second: ToolCall[]) =>
  runCycle({ executions: observed(first, second), ...none, settings: CYCLE_DEFAULTS });

describe('the calls before a failure', () => {
  it('make a pattern of their own where only after them something helps', () => {
    const { drafts } = cycle([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    expect(drafts.map(({ proposal }) => proposal.title)).toEqual(['Use python3 instead of python after make restore']);
    expect(drafts[0]?.proposal.condition).toMatch(/^Right after `make restore`: `python` is about to be run/);
    expect(drafts[0]?.evidence).toMatchObject({
      chosen: { how: 'replace', action: 'python3', following: 'make restore', outcome: { successes: 8, n: 8 } },
      repeat: { successes: 0, n: 8 },
    });
  });

  it('may be two steps, where the last one alone says nothing', () => {
    const { drafts } = cycle(
      [run('make stop'), run('ls'), run('make restore'), ...overcome],
      [run('make clean'), run('make restore'), ...inVain],
    );
    expect(drafts.map(({ evidence }) => evidence.chosen.following)).toEqual(['make stop > make restore']);
  });

  it('are not told where what helps does so whatever came before', () => {
    const { drafts } = cycle([run('make restore'), ...overcome], [run('make clean'), ...overcome]);
    expect(drafts.map(({ proposal }) => proposal.title)).toEqual(['Use python3 instead of python']);
    expect(drafts[0]?.evidence.chosen.following).toBeUndefined();
  });

  it('are nothing that was looked at, that failed, or that lies further back', () => {
    const far = [run('make restore'), ...Array.from({ length: 5 }, () => run('cat job.py'))];
    for (const before of [[run('ls src')], [run('make restore', 'make: *** broken')], far]) {
      const { drafts } = cycle([...before, ...overcome], inVain);
      expect(drafts.filter(({ evidence }) => evidence.chosen.following !== undefined)).toEqual([]);
    }
  });

  it('are counted alike by a window that slid there and by one that is read anew', () => {
    const executions = observed([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    const early = observed([run('make clean'), ...overcome], [run('make restore'), ...inVain]).map((one) => ({
      ...one,
      executionId: `early ${one.executionId}`,
    }));
    const reader = new CycleReader();
    for (const one of [...early, ...executions]) reader.add(one);
    for (const one of early) reader.remove(one);
    expect(finishCycle(reader, none, CYCLE_DEFAULTS)).toEqual(
      runCycle({ executions, ...none, settings: CYCLE_DEFAULTS }),
    );
  });

  it('are not tested backwards: an execution without the failure does not tell whether they came before', () => {
    const executions = observed([run('make restore'), ...overcome], [run('make clean'), ...inVain]);
    const [draft] = runCycle({ executions, ...none, settings: CYCLE_DEFAULTS }).drafts;
    if (!draft) throw new Error('no draft');
    const test = new Backtest(draft);
    for (const one of executions) test.add(backtestExecutionOf(one));
    expect(test.result()).toMatchObject({ verdict: 'not_enough_evidence', read: 24, tested: 0 });
  });
});
