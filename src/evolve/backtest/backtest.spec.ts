import { describe, expect, it } from '@jest/globals';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { CYCLE_DEFAULTS, runCycle } from '../cycle/cycle.js';
import type { BacktestResult } from '../drafts/backtest-result.js';
import { Backtest, backtestExecutionOf } from './backtest.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };

const FAILS = [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')];
const WORKS = [run('python a.py')];
const OTHER = [run('cargo build')];
/** Another program fails in the same way, and the same remedy works. */
const ELSEWHERE = [run('pypy a.py', SYNTAX), run('python3 a.py')];

let n = 0;
const seen = (count: number, toolCalls: readonly ToolCall[], origin?: string): ExecutionObservations[] =>
  reported(count, toolCalls, origin).map((one) => observe(one));

function reported(count: number, toolCalls: readonly ToolCall[], origin?: string): StoredExecution[] {
  return Array.from({ length: count }, () => {
    n += 1;
    return {
      ...{ id: `e${n}`, agentId: `agent-${n}`, agentName: `Agent ${n}`, owner: 'owner', rootExecutionKey: `e${n}` },
      ...{ origin: origin ?? `origin-${n}`, finishedAt: '2026-03-01T10:00:00Z' },
      report: { toolCalls: [...toolCalls], status: 'completed', verification: { outcome: 'none' } },
    };
  });
}

const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const [draft] = runCycle({ executions: reported(20, FAILS), ...known, settings: CYCLE_DEFAULTS }).drafts;

function backtest(executions: readonly ExecutionObservations[]): BacktestResult {
  if (!draft) throw new Error('nothing was proposed');
  const test = new Backtest(draft);
  for (const execution of executions) test.add(backtestExecutionOf(execution));
  return test.result();
}

describe('the backtest of a draft', () => {
  it('counts where its condition fires correctly, where wrongly, and what it misses', () => {
    const result = backtest([...seen(40, FAILS), ...seen(10, WORKS), ...seen(6, ELSEWHERE), ...seen(5, OTHER)]);
    expect(result).toMatchObject({
      ...{ verdict: 'tested', tested: 61, read: 61, supporting: 40, nearMisses: 10, missed: 6 },
      precision: { successes: 40, n: 50, rate: 0.8 },
      recall: { successes: 40, n: 46 },
    });
    expect(result.precision?.lower).toBeLessThan(0.8);
    expect(result.precision?.upper).toBeGreaterThan(0.8);
  });

  it('tests no execution that the draft was made from: a half that would not make the draft alone tests nothing', () => {
    // All failures are of one task, and so on one side; only the other side is tested.
    const result = backtest([...seen(12, FAILS, 'one task'), ...seen(40, WORKS)]);
    expect(result.supporting).toBe(0);
    expect(result.tested).toBeLessThan(52 - 12 + 1);
    expect(result.nearMisses).toBe(result.tested);
    expect(result.precision).toMatchObject({ successes: 0, rate: 0 });
  });

  it('reports too little evidence if neither half makes the draft', () => {
    const result = backtest([...seen(1, FAILS), ...seen(50, WORKS)]);
    expect(result).toMatchObject({ verdict: 'not_enough_evidence', tested: 0, read: 51 });
    expect([result.precision, result.recall]).toEqual([undefined, undefined]);
  });

  it('reports too little evidence if the condition hardly ever fired', () => {
    const result = backtest([...seen(12, FAILS, 'one task'), ...seen(20, OTHER), ...seen(2, WORKS)]);
    expect(result.verdict).toBe('not_enough_evidence');
    expect(result.supporting + result.nearMisses).toBeLessThan(5);
  });

  it('fires a lesson on a kind of error only on failures, and not where repeating works', () => {
    if (!draft) throw new Error('nothing was proposed');
    const broad = { ...draft, evidence: { ...draft.evidence, granularity: 'kind' as const } };
    const test = new Backtest(broad);
    const passes = [run('python a.py', SYNTAX), run('python a.py')];
    for (const execution of [...seen(40, FAILS), ...seen(5, passes), ...seen(10, WORKS)])
      test.add(backtestExecutionOf(execution));
    expect(test.result()).toMatchObject({ supporting: 40, nearMisses: 5, missed: 0 });
  });

  it('counts a missed failure if another path worked in a shell and the lesson is on file tools', () => {
    const file = (name: string, path: string, errorMessage?: string): ToolCall => {
      const call = { name, action: JSON.stringify({ file_path: path }) };
      return errorMessage === undefined ? { ...call, ok: true } : { ...call, ok: false, errorMessage };
    };
    const lost = (name: string, no: number): ToolCall[] => [
      file(name, `src/${no}/util.ts`, 'File does not exist.'),
      file(name, `src/${no}/util.ts`, 'File does not exist.'),
      run('find . -name util.ts'),
      file(name, `lib/${no}/util.ts`),
    ];
    const shell = [run('ls app/src/a.py', 'ls: app/src/a.py: No such file or directory'), run('ls src/a.py')];
    const stored = [...reported(20, lost('Read', 1)), ...reported(20, lost('Write', 2))];
    const made = stored.map((one) => observe(one));
    const { drafts } = runCycle({ executions: stored, ...known, settings: CYCLE_DEFAULTS });
    const broad = drafts.find(({ evidence }) => evidence.tool === 'files');
    if (!broad) throw new Error('nothing was proposed for all file tools');
    const test = new Backtest(broad);
    for (const execution of [...made, ...seen(7, shell), ...seen(5, OTHER)]) test.add(backtestExecutionOf(execution));
    expect(test.result()).toMatchObject({ verdict: 'tested', supporting: 40, missed: 7, recall: { n: 47 } });
  });

  it('does not depend on the order of the executions', () => {
    const executions = [...seen(20, FAILS), ...seen(10, WORKS), ...seen(6, ELSEWHERE)];
    expect(backtest([...executions].reverse())).toEqual(backtest(executions));
  });

  it('counts no skipped check as a success of the remedy', () => {
    const skipping = (one: ExecutionObservations): ExecutionObservations => ({
      ...one,
      episodes: one.episodes.map((episode) => ({
        ...episode,
        trials: episode.trials.map((trial) => ({ ...trial, skipsCheck: true as const })),
      })),
    });
    const result = backtest([...seen(40, FAILS), ...seen(6, ELSEWHERE).map(skipping)]);
    expect(result).toMatchObject({ supporting: 40, missed: 0 });
    expect(backtest(seen(40, FAILS).map(skipping)).tested).toBe(0);
  });
});
