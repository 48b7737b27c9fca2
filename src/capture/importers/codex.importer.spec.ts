import { describe, expect, it } from '@jest/globals';
import { codexImporter } from './codex.importer.js';

const AT = '2026-03-31T18:00:00.000Z';
const line = (type: string, payload: object) => JSON.stringify({ timestamp: AT, type, payload });
const call = (name: string, id: string, more: object = {}) =>
  line('response_item', { type: 'function_call', name, arguments: '{"region":"north"}', call_id: id, ...more });
const output = (id: string, text: unknown) =>
  line('response_item', { type: 'function_call_output', call_id: id, output: text });
const completed = (item: object) => line('event_msg', { type: 'item_completed', item });
const callsOf = (...lines: string[]) =>
  codexImporter.derive([line('session_meta', { id: 's', cwd: '/srv/shop' }), ...lines]).reports[0]?.toolCalls;

describe('the calls in a rollout of Codex', () => {
  it('of MCP tools are named after their server, and have failed by the mark of their result', () => {
    const content = [{ type: 'text', text: 'Error: no such customer' }];
    expect(
      callsOf(
        call('lookup', 'a', { namespace: 'mcp__crm' }),
        completed({ type: 'McpToolCall', id: 'a', status: 'failed', result: { content, isError: true } }),
        output('a', [{ type: 'input_text', text: 'Wall time: 0.1 seconds\nOutput:' }]),
        call('list', 'b', { namespace: 'mcp__crm' }),
        completed({ type: 'McpToolCall', id: 'b', status: 'completed', result: { content: [] } }),
      ),
    ).toMatchObject([
      { name: 'mcp__crm__lookup', ok: false, errorLine: 'Error: no such customer' },
      { name: 'mcp__crm__list', ok: true },
    ]);
  });

  it('have their exit code, also where only the output names it', () => {
    const command = {
      type: 'CommandExecution',
      id: 'a',
      exit_code: 2,
      aggregated_output: 'Error: read-only file system',
    };
    expect(
      callsOf(
        call('exec_command', 'a'),
        completed({ ...command, status: 'failed' }),
        call('exec_command', 'b'),
        output('b', 'Chunk ID: 1\nProcess exited with code 2\nOutput:\nError: read-only file system\n'),
      ),
    ).toMatchObject([
      { ok: false, errorMessage: 'Exit code 2\nError: read-only file system', ran: true },
      { ok: false, errorMessage: 'Exit code 2\nError: read-only file system', ran: true },
    ]);
  });

  it('did not run if a person declined them', () => {
    expect(
      callsOf(call('exec_command', 'a'), completed({ type: 'CommandExecution', id: 'a', status: 'declined' })),
    ).toMatchObject([{ ok: false, ran: false }]);
  });

  it('have failed if Codex answered in place of the tool', () => {
    for (const text of [
      'unsupported call: update_plan',
      'apply_patch verification failed: Failed to read file to update a.py: No such file or directory',
      'unable to locate image at `a.png`: No such file or directory',
    ])
      expect(callsOf(call('some_tool', 'a'), output('a', text))).toMatchObject([{ ok: false }]);
  });
});
