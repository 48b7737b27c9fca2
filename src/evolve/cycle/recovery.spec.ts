import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { halvesOf } from '../evidence/halves.js';
import { Backtest, backtestExecutionOf } from './backtest.js';
import type { CycleOutcome } from './cycle.js';

const run = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });
const fail = (action: string): ToolCall => ({
  name: 'Bash',
  action,
  ok: false,
  errorMessage: 'Error: relation is missing',
});

function fleet(size: number, toolCalls: ToolCall[], first = 0): StoredExecution[] {
  return Array.from({ length: size }, (_, at) => {
    const n = first + at;
    return {
      id: `e${n}`,
      agentId: `agent-${n}`,
      agentName: `Agent ${n}`,
      owner: `owner-${n % 2}`,
      rootExecutionKey: `e${n}`,
      origin: `origin-${n}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: { toolCalls, status: 'completed', verification: { outcome: 'none' } },
    };
  });
}

function cycle(executions: StoredExecution[]): CycleOutcome {
  const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  return runCycle({ executions, ...known, settings: CYCLE_DEFAULTS });
}

const AGAIN = [fail('pytest tests'), fail('pytest tests')];
const SEEDED = [fail('pytest tests'), run('ls src'), run('make seed'), run('pytest tests')];
const STARTED = [fail('pytest tests'), run('docker compose up -d'), run('make seed'), run('pytest tests')];

describe('the steps between a failure and the same action again', () => {
  it('are the remedy if repeating alone fails', () => {
    const [draft, ...others] = cycle([...fleet(6, AGAIN), ...fleet(8, SEEDED, 100)]).drafts;
    expect(others).toEqual([]);
    expect(draft?.text.title).toBe('Run `make seed` before `pytest tests`');
    expect(draft?.evidence).toMatchObject({
      repeat: { successes: 0, n: 14 },
      chosen: {
        how: 'prepare',
        action: 'make seed',
        label: 'make seed first',
        outcome: { successes: 8, n: 8 },
        agents: 8,
      },
    });
  });

  it('may be two steps: the lesson names one, and its example shows both', () => {
    const [draft] = cycle([...fleet(6, AGAIN), ...fleet(8, STARTED, 100)]).drafts;
    expect(draft?.text.title).toMatch(/^Run `(?:docker compose up -d|make seed)` before `pytest tests`$/);
    expect(draft?.text.example?.between.map(({ call }) => call)).toEqual(['docker compose up -d', 'make seed']);
  });

  it('are not those that only look at something', () => {
    const looked = [fail('pytest tests'), run('ls src'), run('git status --short | head'), run('pytest tests')];
    expect(cycle([...fleet(6, AGAIN), ...fleet(8, looked, 100)]).drafts).toEqual([]);
  });

  it('are no remedy if repeating alone works as well', () => {
    const passes = [fail('pytest tests'), run('pytest tests')];
    const outcome = cycle([...fleet(8, passes), ...fleet(8, SEEDED, 100)]);
    expect(outcome.drafts).toEqual([]);
    expect(outcome.overcome).toMatchObject([{ standing: 'passing' }]);
  });

  it('compete with another action that works: the reviewer sees both, and that they exclude each other', () => {
    const other = [fail('pytest tests'), run('python -m pytest tests')];
    const { drafts } = cycle([...fleet(6, AGAIN), ...fleet(9, other, 100), ...fleet(8, SEEDED, 200)]);
    expect(drafts).toMatchObject([
      { kind: 'new_skill', evidence: { chosen: { how: 'replace' } } },
      { kind: 'conflict', evidence: { chosen: { how: 'prepare' } } },
    ]);
    expect(drafts[0]?.evidence.alternatives).toMatchObject([{ label: 'make seed first' }]);
  });

  it('are tested on other executions than those that taught them', () => {
    const executions = [...fleet(20, AGAIN), ...fleet(30, SEEDED, 100), ...fleet(10, [run('pytest tests')], 200)];
    const [draft] = cycle(executions).drafts;
    if (!draft) throw new Error('nothing was proposed');
    const test = new Backtest(draft);
    for (const execution of executions) test.add(backtestExecutionOf(observe(execution)));
    const halves = halvesOf(
      executions.map(({ id, origin, finishedAt }) => ({ id, origin, finishedAt })),
      { by: 'origin' },
    );
    const held = halves[draft.evidence.heldOut ?? 'a'];
    const using = held.filter(({ id }) => Number(id.slice(1)) >= 200).length;
    expect(test.result()).toMatchObject({
      verdict: 'tested',
      read: 60,
      tested: held.length,
      supporting: held.length - using,
      nearMisses: using,
    });
  });
});
