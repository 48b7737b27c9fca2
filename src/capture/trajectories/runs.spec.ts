import { describe, expect, it } from '@jest/globals';
import { runsImporter } from './runs.importer.js';

const RECORDED = { recordedAt: '2026-03-31T18:00:00.000Z' };
const row = (more: object = {}) => ({
  id: 1,
  agent_id: 'ada',
  task_id: 'books/7',
  repo: 'acme__shop',
  steps: [{ tool: 'Bash', args: 'python close.py', ok: false, obs: 'SyntaxError: invalid syntax' }],
  ...more,
});
const derive = (...rows: readonly object[]) =>
  runsImporter.derive(
    rows.map((one) => JSON.stringify(one)),
    RECORDED,
  );

describe('runs in the documented form', () => {
  it('are one execution a line, each with its own agent', () => {
    const { reports, agents } = derive(
      row(),
      row({ agent_id: 'ben@example.com' }),
      row({ agent_id: 'ben@example.org' }),
    );
    const names = reports.map(({ executionId }) => agents?.get(executionId));
    expect(names[0]).toBe('ada');
    expect(new Set(names).size).toBe(3);
    expect(names.join()).not.toContain('example');
    expect(new Set(reports.map(({ taskId }) => taskId)).size).toBe(1);
    expect(reports[0]?.environment).toEqual({ project: 'shop', repository: 'acme/shop' });
  });

  it('have an outcome where something other than the agent judged it', () => {
    const outcomes = [{ resolved: true }, { success: false }, { reward: 0.5 }, { reward: 0.5, max_reward: 0.5 }, {}];
    const { reports } = derive(...outcomes.map((more, id) => row({ id, ...more })));
    expect(reports.map(({ verification }) => verification.outcome)).toEqual([
      'succeeded',
      'failed',
      'failed',
      'succeeded',
      'none',
    ]);
  });

  it('leave a call out whose result is unknown, and mark one that the harness refused', () => {
    const refusal = 'Please always provide EXACTLY ONE action in triple backticks, found 2 actions.';
    const steps = [
      { tool: 'Bash', args: 'ls' },
      { tool: 'Bash', args: 'ls', ok: false, error: refusal, reply: 'r' },
    ];
    const { reports, omitted } = derive(row({ steps }));
    expect(reports[0]?.toolCalls).toMatchObject([{ ok: false, ran: false, reply: { position: 1, calls: 1 } }]);
    expect(omitted).toEqual([{ reason: 'tool call without a result', count: 1 }]);
  });

  it('are left out with a reason if a field is missing, or if an agent has two runs of one id', () => {
    const { reports, omitted, counts } = derive(
      row(),
      row({ steps: [] }),
      row({ id: 2, agent_id: undefined }),
      row({ id: 3, steps: 3 }),
    );
    expect(reports).toHaveLength(1);
    expect(counts.badLines).toBe(2);
    expect(omitted.map(({ reason }) => reason)).toEqual([
      'run with the id of another one of its agent',
      expect.stringContaining('not a run: agent_id'),
      expect.stringContaining('not a run: steps'),
    ]);
  });

  it('keep a run without a call, with its outcome and its end', () => {
    const { reports } = derive(row({ steps: [], end: 'limit', success: false, turns: 4 }));
    expect(reports).toMatchObject([
      { status: 'aborted', terminationReason: 'limit', turnCount: 4, verification: { outcome: 'failed' } },
    ]);
  });
});
