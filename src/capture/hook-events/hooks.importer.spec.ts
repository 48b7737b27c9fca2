import { describe, expect, it } from '@jest/globals';
import { claudeCodeHooksImporter, codexHooksImporter } from './hooks.importer.js';

const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: 'session',
  hook_event_name,
  cwd: '/Users/ann/shop',
  ...fields,
});
const call = (id: string, command: string, fields: object = {}) => ({
  tool_name: 'Bash',
  tool_use_id: id,
  tool_input: { command },
  ...fields,
});
const derive = (events: readonly object[], importer = claudeCodeHooksImporter) =>
  importer.derive(events.map((one, n) => JSON.stringify({ ...one, received_at: `2026-03-01T10:00:0${n}Z` })))
    .reports[0];

describe('a session that hooks report', () => {
  it('is left out once if its events describe nothing', () => {
    const lines = [JSON.stringify(event('SubagentStart'))];
    expect(claudeCodeHooksImporter.derive(lines).omitted).toEqual([{ reason: 'no turns', count: 1 }]);
  });

  it('has arguments, decisive lines, and whether each call ran', () => {
    const report = derive([
      event('PostToolUseFailure', call('a', 'npm test', { error: 'Exit code 1\nrow 17\nError: no test' })),
      event('PostToolUseFailure', call('b', 'rm a', { error: "The user doesn't want to proceed with this tool use." })),
      event('PostToolUse', {
        tool_name: 'Write',
        tool_use_id: 'c',
        tool_input: { file_path: 'src/a.py', content: 'print(1)' },
        tool_response: {},
      }),
      event('PermissionRequest', call('d', 'rm b')),
      event('PreToolUse', call('d', 'rm b')),
    ]);
    expect(report?.toolCalls).toMatchObject([
      { errorLine: 'Error: no test', errorMessage: 'Exit code 1\nError: no test', ran: true },
      { ran: false },
      {
        ok: true,
        ran: true,
        arguments: [
          { key: 'file_path', value: 'src/a.py' },
          { key: 'content', length: 8 },
        ],
      },
      { ok: false, errorCategory: 'denied', ran: false },
    ]);
    expect(JSON.stringify(report)).not.toContain('print(1)');
  });

  it('is verified by the checks of the agent that passed after its last change', () => {
    const edit = { tool_name: 'Edit', tool_use_id: 'a', tool_input: { file_path: 'src/a.py' }, tool_response: {} };
    const test = call('b', 'npm test', { tool_response: {} });
    const ending = [event('UserPromptSubmit', { prompt: 'Round the sum' }), event('PostToolUse', edit)];
    expect(derive([...ending, event('PostToolUse', test), event('Stop')])).toMatchObject({
      status: 'completed',
      verification: { outcome: 'succeeded', source: 'self', checks: [{ name: 'npm test', ok: true }] },
      qualityScore: 9,
    });
    const unfinished = derive([...ending, event('PostToolUse', test)]);
    expect(unfinished?.verification).toEqual({ outcome: 'none' });
    expect(unfinished?.qualityScore).toBeUndefined();
  });

  it('has no row that a failing command printed', () => {
    const report = derive([
      event(
        'PostToolUseFailure',
        call('a', 'cat letter.txt; false', { error: 'Exit code 1\nAnn, your payment failed' }),
      ),
    ]);
    expect(report?.toolCalls).toMatchObject([{ errorMessage: 'Exit code 1\n[output without an error line]' }]);
    expect(report?.toolCalls[0]?.errorLine).toBeUndefined();
    expect(JSON.stringify(report)).not.toContain('Ann');
  });

  it('has the environment that its folder and the answers of its calls show, and no other word of these', () => {
    const report = derive([
      event(
        'PostToolUse',
        call('a', 'python --version', { tool_response: { stdout: 'Python 2.7.3\n', stderr: 'Ann' } }),
      ),
      event('PostToolUse', call('b', 'node --version', { tool_response: { stdout: 'v20.1.0', stderr: '' } })),
      event('Stop'),
    ]);
    expect(report?.environment).toEqual({
      harness: 'claude-code',
      operatingSystem: 'macOS',
      project: 'shop',
      interpreters: [
        { name: 'python', version: '2.7.3' },
        { name: 'node', version: '20.1.0' },
      ],
    });
    expect(JSON.stringify(report)).not.toMatch(/Ann|\/Users/);
  });

  it('has the versions in the plain text that Codex sends', () => {
    const events = [event('PostToolUse', call('a', 'python3 --version', { tool_response: 'Python 3.11.2' }))];
    expect(derive(events, codexHooksImporter)?.environment).toMatchObject({
      harness: 'codex',
      interpreters: [{ name: 'python3', version: '3.11.2' }],
    });
  });
});
