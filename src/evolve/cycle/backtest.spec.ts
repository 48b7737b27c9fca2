import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { BacktestResult } from '../drafts/backtest-result.js';
import { halfOf } from '../evidence/halves.js';
import { Backtest, backtestExecutionOf } from './backtest.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const run = (action: string, errorMessage?: string): ToolCall =>
  errorMessage === undefined ? { name: 'Bash', action, ok: true } : { name: 'Bash', action, ok: false, errorMessage };

const FAILS = [run('python a.py', SYNTAX), run('python a.py', SYNTAX), run('python3 a.py')];
const WORKS = [run('python a.py')];
const OTHER = [run('cargo build')];
/** Another program fails in the same way, and the same remedy works. */
const ELSEWHERE = [run('uv run python a.py', SYNTAX), run('uv run python3 a.py')];

let n = 0;
const seen = (count: number, toolCalls: readonly ToolCall[], origin?: string): ExecutionObservations[] =>
  reported(count, toolCalls, origin).map((one) => observe(one));

function reported(count: number, toolCalls: readonly ToolCall[], origin?: string): StoredExecution[] {
  return Array.from({ length: count }, () => {
    n += 1;
    return {
      id: `e${n}`,
      agentId: `agent-${n}`,
      agentName: `Agent ${n}`,
      owner: 'owner',
      rootExecutionKey: `e${n}`,
      origin: origin ?? `origin-${n}`,
      finishedAt: '2026-03-01T10:00:00Z',
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

/** The executions of the half that the draft was not learned from. */
const held = (executions: readonly ExecutionObservations[]): ExecutionObservations[] =>
  executions.filter(({ support }) => halfOf(support.origin) === draft?.evidence.heldOut);

describe('the backtest of a draft', () => {
  it('counts where its condition fires correctly, where wrongly, and what it misses', () => {
    const [fails, works, elsewhere, other] = [seen(40, FAILS), seen(10, WORKS), seen(6, ELSEWHERE), seen(5, OTHER)];
    const [supporting, nearMisses, missed] = [held(fails).length, held(works).length, held(elsewhere).length];
    const result = backtest([...fails, ...works, ...elsewhere, ...other]);
    expect(result).toMatchObject({
      verdict: 'tested',
      read: 61,
      supporting,
      nearMisses,
      missed,
      tested: supporting + nearMisses + missed + held(other).length,
      precision: { successes: supporting, n: supporting + nearMisses },
      recall: { successes: supporting, n: supporting + missed },
    });
    expect(result.precision?.lower).toBeLessThan(supporting / (supporting + nearMisses));
  });

  it('tests no execution of the half that the draft was learned from', () => {
    const executions = [...seen(40, FAILS), ...seen(20, WORKS)];
    const learned = executions.filter((one) => !held(executions).includes(one));
    expect(learned.length).toBeGreaterThan(0);
    expect(backtest(learned)).toMatchObject({ verdict: 'not_enough_evidence', tested: 0, read: learned.length });
    expect(backtest(executions).tested).toBe(60 - learned.length);
  });

  it('is missing for a draft that was learned from all executions', () => {
    if (!draft) throw new Error('nothing was proposed');
    const { heldOut: _heldOut, ...evidence } = draft.evidence;
    const test = new Backtest({ ...draft, evidence });
    for (const one of seen(40, FAILS)) test.add(backtestExecutionOf(one));
    expect(test.result()).toMatchObject({ verdict: 'not_enough_evidence', tested: 0, read: 40 });
    expect([test.result().precision, test.result().recall]).toEqual([undefined, undefined]);
  });

  it('reports too little evidence if the condition hardly ever fired', () => {
    const result = backtest([...seen(40, OTHER), ...held(seen(20, WORKS)).slice(0, 2)]);
    expect(result).toMatchObject({ verdict: 'not_enough_evidence', supporting: 0, nearMisses: 2 });
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
    expect(backtest([...seen(40, FAILS), ...seen(6, ELSEWHERE).map(skipping)]).missed).toBe(0);
  });
});
