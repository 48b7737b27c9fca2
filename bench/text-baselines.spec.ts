import { describe, expect, it } from '@jest/globals';
import { labelledErrors } from './labelled-errors.js';
import { sharedSessions } from './shared-sessions.js';
import { byPrefix, byTfIdf } from './text-baselines.js';

const session = (more: object): string =>
  JSON.stringify({
    id: 's1',
    agent_id: 'ada',
    task: 'Close the books.',
    started_at: '2026-02-01T10:00:00Z',
    tool_calls: [
      { tool: 'Bash', args: 'python close.py', ok: false, error: 'Exit code 1\nSyntaxError: invalid syntax' },
      { tool: 'Read', args: 'books/2026.csv', ok: true },
    ],
    ...more,
  });

describe('sessions of the shared formats', () => {
  it('become executions as the server stores them', () => {
    const [read] = sharedSessions(`${session({})}\n\n`);
    expect(read).toMatchObject({ startedAt: '2026-02-01T10:00:00Z', execution: { id: 's1', agentId: 'ada' } });
    expect(read?.execution.report.toolCalls).toMatchObject([
      { name: 'Bash', action: 'python close.py', ok: false, errorCategory: 'SyntaxError' },
      { name: 'Read', ok: true },
    ]);
    expect(read?.execution.report.verification).toEqual({ outcome: 'none' });
  });

  it('may contain calls as steps, and a final status', () => {
    const steps = [{ tool: 'python', args: 'print(1', ok: false, obs: "SyntaxError: '(' was never closed" }];
    const [read] = sharedSessions(session({ tool_calls: undefined, started_at: undefined, steps, success: true }));
    expect(read?.startedAt).toBeUndefined();
    expect(read?.execution.report).toMatchObject({
      toolCalls: [{ name: 'python', ok: false, errorCategory: 'SyntaxError' }],
      verification: { outcome: 'succeeded', source: 'reward' },
    });
  });

  it('with a line of another format are refused with its number', () => {
    expect(() => sharedSessions(`${session({})}\n{"id":1}`)).toThrow(/line 2 is not a session: agent_id/);
    expect(() => labelledErrors('{"error":"x","error_type":"y"}\n{"error":"x"}')).toThrow(/line 2 has no error/);
  });
});

describe('the baseline clusterings', () => {
  it('join equal beginnings by prefix, and similar words in any place by TF-IDF', () => {
    const texts = ['cannot open ledger one', 'cannot open ledger two', 'ledger one cannot open'];
    expect(new Set(byPrefix(texts, 12)).size).toBe(2);
    expect(byTfIdf(texts, 0.9)).toEqual(['group 0', 'group 1', 'group 0']);
  });
});
