import { describe, expect, it } from '@jest/globals';
import { readSet } from './set-reader.js';

const row = (more: object): string =>
  JSON.stringify({
    id: 's1',
    agent_id: 'ada',
    task_id: 'books/7',
    tool_calls: [{ tool: 'Bash', args: 'python close.py', ok: false, error: 'SyntaxError: invalid syntax' }],
    ...more,
  });
const only = (more: object) => {
  const [execution] = readSet(row(more), 'ledgers').executions;
  if (!execution) throw new Error('no execution was read');
  return execution;
};
const withCalls = (...steps: object[]) => only({ tool_calls: undefined, steps });

describe('a set of executions', () => {
  it('is read as the server stores it: imported, redacted, with one origin for each task', () => {
    const { executions } = readSet([row({}), row({ id: 's2', agent_id: 'ben' })].join('\n'), 'ledgers');
    expect(executions.map(({ execution }) => execution)).toMatchObject([
      { id: 's1', agentId: 'ada' },
      { id: 's2', agentId: 'ben' },
    ]);
    expect(new Set(executions.map(({ execution }) => execution.origin)).size).toBe(1);
    expect(executions[0]?.report.toolCalls).toMatchObject([
      { name: 'Bash', action: 'python close.py', ok: false, errorCategory: 'SyntaxError' },
    ]);
    const other = only({ task_id: 8 }).execution.origin;
    expect(other).not.toBe(executions[0]?.execution.origin);
  });

  it('names the harness with its version, the project and the model', () => {
    const { report } = only({ harness: 'some-agent 2.0.54', repo: 'acme/ledger', model: 'm-1' });
    expect(report.environment).toMatchObject({
      harness: 'some-agent',
      harnessVersion: '2.0.54',
      project: 'ledger',
      repository: 'acme/ledger',
    });
    expect(report).toMatchObject({ model: 'm-1', tags: ['project:ledger'] });
    expect(only({ project: 'till' }).report.environment).toMatchObject({ harness: 'ledgers', project: 'till' });
    expect(only({ config: 'variant-3' }).report.environment?.harness).toBe('variant-3');
  });

  it('takes calls as tool_calls or steps, and arguments as a text, an object or JSON in a text', () => {
    const { calls } = withCalls(
      { tool: 'bash', args: 'ls', ok: true },
      { tool: 'Read', args: 'books/2026.csv', ok: true },
      { tool: 'sql', args: 'SHOW TABLES', ok: true },
      { tool: 'search', args: { origin: 'JFK' }, ok: true },
      { tool: 'search', args: '{"origin":"JFK"}', ok: true },
    );
    expect(calls.map(({ input }) => input)).toEqual([
      { command: 'ls' },
      { file_path: 'books/2026.csv' },
      { query: 'SHOW TABLES' },
      { origin: 'JFK' },
      { origin: 'JFK' },
    ]);
  });

  it('takes the output of a failed call as its error, and that of a successful call into no report', () => {
    const { report } = withCalls(
      { tool: 'python', args: 'print(1', ok: false, obs: "SyntaxError: '(' was never closed" },
      { tool: 'python', args: 'print(1)', ok: true, obs: 'the customer list' },
      { tool: 'Bash', args: 'ls x', ok: false, result_tail: 'ls: x: No such file or directory' },
    );
    expect(report.toolCalls).toMatchObject([{ errorCategory: 'SyntaxError' }, { ok: true }, { ok: false }]);
    expect(report.toolCalls[2]?.errorMessage).toContain('No such file');
    expect(JSON.stringify(report)).not.toContain('customer list');
  });

  it('leaves a call out whose result is unknown, as it neither failed nor worked', () => {
    const text = row({
      tool_calls: [
        { tool: 'submit', args: '42' },
        { tool: 'Bash', args: 'ls', ok: true },
      ],
    });
    const set = readSet(text, 'ledgers');
    expect(set.unknownResults).toBe(1);
    expect(set.executions[0]?.report.toolCalls).toMatchObject([{ name: 'Bash', ok: true }]);
  });

  it('marks arguments that were cut at a limit, and does not guess the rest of their JSON', () => {
    const cut = (n: number) => `{"name":"${String(n).padEnd(120, 'x')}`.slice(0, 110);
    const { calls } = withCalls(
      ...[1, 2, 3, 4, 5].map((n) => ({ tool: 'book', args: cut(n), ok: true })),
      ...[1, 2, 3, 4, 5].map((n) => ({ tool: 'Bash', args: `echo ${n}`.padEnd(110, 'y'), ok: true })),
      { tool: 'Bash', args: 'ls', ok: true },
    );
    expect(calls.map(({ isCut }) => isCut)).toEqual([...Array(10).fill(true), false]);
    expect(calls[0]?.input).toBeUndefined();
  });

  it('has an outcome only where something other than the agent judged it', () => {
    expect(only({}).report.verification).toEqual({ outcome: 'none' });
    const outcomes = [{ resolved: true }, { success: false }, { reward: 0.5 }, { reward: 0.5, max_reward: 0.5 }];
    expect(outcomes.map((more) => only(more).report.verification.outcome)).toEqual([
      'succeeded',
      'failed',
      'failed',
      'succeeded',
    ]);
  });

  it('has no order if the start times do not differ', () => {
    const started = (id: string, started_at: string | null) => row({ id, started_at });
    const at = '2026-02-01T10:00:00Z';
    const isOrdered = (...times: (string | null)[]) =>
      readSet(times.map((time, n) => started(`s${n}`, time)).join('\n'), 'ledgers').isOrdered;
    expect([isOrdered(at, at), isOrdered(at, null), isOrdered(at, '2026-02-02T10:00:00+01:00')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('skips lines that are no execution, with their number and the reason', () => {
    const { executions, skipped } = readSet([row({}), '[1', '{"id":1}', '', row({ steps: 3 })].join('\n'), 'ledgers');
    expect(executions).toHaveLength(1);
    expect(skipped.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('expected object'),
      expect.stringContaining('agent_id'),
      expect.stringContaining('steps'),
    ]);
  });
});
