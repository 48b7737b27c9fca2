import { describe, expect, it } from '@jest/globals';
import { claudeCodeStreamImporter } from './claude-code-stream.importer.js';
import { codexStreamImporter, timeOfThread } from './codex-stream.importer.js';
import { cursorStreamImporter } from './cursor-stream.importer.js';

const AT = '2026-03-31T18:00:00.000Z';
const recordedAt = '2026-03-31T19:00:00.000Z';
const json = (records: readonly object[]) => records.map((record) => JSON.stringify(record));

describe('the stream of `codex exec --json`', () => {
  // the first 48 bits are the milliseconds of AT
  const THREAD = '019d450d-6900-7c3a-9b1d-5e6f70819203';
  const started = { type: 'thread.started', thread_id: THREAD };
  const item = (type: string, fields: object, id = 'item_1') => ({
    type: 'item.completed',
    item: { id, type, ...fields },
  });
  const derive = (...events: object[]) => codexStreamImporter.derive(json([started, ...events]), { recordedAt });
  const callsOf = (...events: object[]) => derive(...events).reports[0]?.toolCalls;

  it('began when its thread began, which its id says, and ended with its file', () => {
    const thread = 'a1b2c3d4-0000-4000-8000-000000000000';
    const time = timeOfThread(THREAD, recordedAt);
    expect(derive(item('agent_message', { text: 'Hi' })).reports[0]).toMatchObject({
      startedAt: time,
      finishedAt: recordedAt,
    });
    expect(Date.parse(time ?? '')).toBeLessThan(Date.parse(recordedAt));
    expect(timeOfThread(thread, recordedAt)).toBeUndefined();
    expect(timeOfThread(THREAD, '2020-01-01T00:00:00Z')).toBeUndefined();
    expect(codexStreamImporter.derive(json([started, { type: 'turn.started' }])).omitted).toEqual([
      { reason: 'no turns', count: 1 },
    ]);
  });

  it('has the command without the shell that ran it, and its exit code', () => {
    const command = item('command_execution', {
      command: `/bin/bash -lc "python close.py && echo 'a b'"`,
      aggregated_output: 'Error: no books\n',
      exit_code: 3,
      status: 'failed',
    });
    expect(callsOf(command)).toMatchObject([
      {
        name: 'exec_command',
        action: expect.stringMatching(/^python close\.py && echo /),
        ok: false,
        errorLine: 'Error: no books',
        errorMessage: 'Exit code 3\nError: no books',
        ran: true,
      },
    ]);
    expect(callsOf(command)?.[0]).not.toHaveProperty('durationMs');
    expect(callsOf(command)?.[0]).not.toHaveProperty('reply');
  });

  it('has calls of MCP tools, changes of files and searches under the names of a rollout', () => {
    const result = { content: [{ type: 'text', text: 'Error: no such customer' }] };
    const mcp = {
      server: 'crm',
      tool: 'lookup',
      arguments: { region: 'north' },
      result,
      error: null,
      status: 'failed',
    };
    expect(
      callsOf(
        item('mcp_tool_call', mcp, 'a'),
        item('file_change', { changes: [{ path: '/srv/shop/a.py', kind: 'add' }], status: 'completed' }, 'b'),
        item('web_search', { query: 'close the books' }, 'c'),
      ),
    ).toMatchObject([
      { name: 'mcp__crm__lookup', ok: false, errorLine: 'Error: no such customer' },
      { name: 'apply_patch', ok: true },
      { name: 'web_search', ok: true },
    ]);
  });

  it('says which command a person declined, and which one did not end', () => {
    const declined = { command: 'rm x', aggregated_output: '', exit_code: null, status: 'declined' };
    const open = { type: 'item.started', item: { id: 'b', type: 'command_execution', command: 'ls' } };
    const { reports, omitted } = derive(item('command_execution', declined), open);
    expect(reports[0]?.toolCalls).toMatchObject([{ ok: false, ran: false }]);
    expect(omitted).toEqual([{ reason: 'tool call without a result', count: 1 }]);
    expect(reports[0]).toMatchObject({ status: 'aborted', terminationReason: 'unfinished' });
  });

  it('is not ended by an error after which it goes on', () => {
    const notice = { type: 'error', message: 'Reconnecting... 1/5 (status 503)' };
    const [report] = derive(notice, item('agent_message', { text: 'Hi' }), { type: 'turn.completed' }).reports;
    expect(report).toMatchObject({ status: 'completed' });
    expect(report).not.toHaveProperty('errorMessage');
    expect(derive(item('agent_message', {}), notice).reports[0]).toMatchObject({
      terminationReason: 'api_error:503',
      errorCategory: 'http-503',
    });
  });

  it('of a resumed thread is another execution of its session', () => {
    const [first] = derive(item('agent_message', { text: 'One' })).reports;
    const [second] = derive(item('agent_message', { text: 'Two' })).reports;
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(second?.executionId).not.toBe(first?.executionId);
  });
});

describe('the stream of `claude -p --output-format stream-json`', () => {
  const base = { session_id: 's', parent_tool_use_id: null };
  const start = {
    type: 'system',
    subtype: 'init',
    session_id: 's',
    cwd: '/srv/shop',
    model: 'a-model',
    slash_commands: [],
  };
  const use = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'rm -rf x' } };
  const says = (content: object[], more: object = {}) => ({
    ...base,
    type: 'assistant',
    message: { id: 'm', content },
    ...more,
  });
  const answers = (text: string, more: object = {}) => ({
    ...base,
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text, is_error: true }] },
    ...more,
  });
  const result = (more: object) => ({
    ...base,
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    ...more,
  });
  const derive = (...messages: object[]) => claudeCodeStreamImporter.derive(json([start, ...messages]), { recordedAt });

  it('of an older version, without times and ids of records, has the time of its file', () => {
    const [report] = derive(says([use]), answers('No'), result({})).reports;
    expect(report).toMatchObject({ startedAt: recordedAt, finishedAt: recordedAt, environment: { project: 'shop' } });
  });

  it('says which call was not permitted, in both ways', () => {
    const meta = { tool_result_meta: [{ id: 't', non_execution_kind: 'user-rejected' }] };
    const denials = { permission_denials: [{ tool_name: 'Bash', tool_use_id: 't', tool_input: {} }] };
    const asked = answers('rm needs approval.');
    for (const messages of [
      [says([use]), answers('rm needs approval.', meta), result({})],
      [says([use]), asked, result(denials)],
    ])
      expect(derive(...messages).reports[0]?.toolCalls).toMatchObject([{ ok: false, ran: false }]);
    expect(derive(says([use]), asked).reports[0]?.toolCalls[0]).not.toHaveProperty('ran');
  });

  it.each([
    [
      { subtype: 'error_max_turns', is_error: true },
      { status: 'aborted', terminationReason: 'max_turns' },
    ],
    [
      { subtype: 'error_during_execution', is_error: true },
      { status: 'failed', terminationReason: 'error_during_execution' },
    ],
    [
      { is_error: true, api_error_status: 400, api_error_type: 'invalid_request_error' },
      { status: 'failed', terminationReason: 'api_error:400:invalid_request_error' },
    ],
    [
      { is_error: true, result: 'API Error: 529 Overloaded' },
      { status: 'failed', errorCategory: 'http-529' },
    ],
    [{}, { status: 'completed', verification: { outcome: 'none' } }],
  ])('ended as its last line says: %j', (fields, ended) => {
    expect(derive(says([{ type: 'text', text: 'Hi' }]), result(fields)).reports[0]).toMatchObject(ended);
  });

  it('has its sub-agents as executions with a parent, and the skills that it was offered', () => {
    const child = { parent_tool_use_id: 't', agent_id: 'a1' };
    const first = { ...start, skills: ['close-the-books'] };
    const lines = json([first, says([use]), says([{ type: 'text', text: 'Found' }], child), result({})]);
    const { reports, skillUses } = claudeCodeStreamImporter.derive(lines, { recordedAt });
    expect(reports.map(({ sessionId, parentExecutionId }) => [sessionId, parentExecutionId])).toEqual([
      ['s', undefined],
      ['s:a1', reports[0]?.executionId],
    ]);
    expect(skillUses).toMatchObject([{ uses: [{ skill: 'close-the-books', event: 'offered' }] }]);
  });

  it('without its messages, as `--output-format json` prints it, is no execution', () => {
    const { reports, omitted } = claudeCodeStreamImporter.derive(json([result({})]), { recordedAt });
    expect({ reports, omitted }).toEqual({ reports: [], omitted: [{ reason: 'no turns', count: 1 }] });
  });
});

describe('the stream of `cursor-agent -p --output-format stream-json`', () => {
  const start = {
    type: 'system',
    subtype: 'init',
    session_id: 's',
    cwd: '/srv/shop',
    model: 'Auto',
    permissionMode: 'default',
  };
  const completed = (tool: string, args: object, result: object, more: object = {}) => ({
    type: 'tool_call',
    subtype: 'completed',
    call_id: `c\n${tool}`,
    session_id: 's',
    tool_call: { [tool]: { args, result }, toolCallId: 'c', startedAtMs: '1' },
    ...more,
  });
  const callsOf = (...events: object[]) =>
    cursorStreamImporter.derive(json([start, ...events]), { recordedAt }).reports[0]?.toolCalls;

  it('says which call failed, which one was rejected and which one worked', () => {
    expect(
      callsOf(
        completed('shellToolCall', { command: 'make' }, { failure: { exitCode: 2, stderr: 'Error: no rule' } }),
        completed('readToolCall', { path: 'a.py' }, { error: { errorMessage: 'File not found: a.py' } }),
        completed('writeToolCall', { path: 'a.py', fileText: 'x' }, { rejected: { reason: 'not now' } }),
        completed('lsToolCall', { path: 'src' }, { success: { files: [] } }),
      ),
    ).toMatchObject([
      { name: 'shell', action: 'make', ok: false, errorMessage: 'Exit code 2\nError: no rule', ran: true },
      { name: 'read', ok: false, errorCategory: 'file-not-found' },
      { name: 'write', ok: false, ran: false },
      { name: 'ls', ok: true },
    ]);
  });

  it('keeps of a command its text alone, and names tools without a field of their own and those of MCP', () => {
    const args = { command: 'make', parsingResult: { executableCommands: [{ name: 'make' }] } };
    const other = {
      tool_call: { function: { name: 'search', arguments: '{"query":"open orders"}', result: { success: {} } } },
    };
    const mcp = { serverIdentifier: 'crm', toolName: 'lookup', args: { region: 'north' } };
    const calls = callsOf(
      completed('shellToolCall', args, { success: { exitCode: 0, stdout: 'x' } }),
      completed('x', {}, {}, other),
      completed('mcpToolCall', mcp, { success: {} }),
    );
    expect(calls?.map(({ name, arguments: given = [] }) => [name, given.map(({ key }) => key)])).toEqual([
      ['shell', ['command']],
      ['search', ['query']],
      ['mcp__crm__lookup', ['region']],
    ]);
    expect(calls?.[0]).not.toHaveProperty('durationMs');
  });

  it('has the place of a call in its reply, and times where its lines have them', () => {
    const at = Date.parse(AT);
    const call = { type: 'tool_call', subtype: 'started', call_id: 'c', model_call_id: 'r', session_id: 's' };
    const tool_call = { shellToolCall: { args: { command: 'ls' } } };
    const answer = { shellToolCall: { args: { command: 'ls' }, result: { success: { exitCode: 0 } } } };
    expect(
      callsOf(
        { ...call, tool_call, timestamp_ms: at },
        { ...call, subtype: 'completed', tool_call: answer, timestamp_ms: at + 40 },
      ),
    ).toMatchObject([{ durationMs: 40, reply: { position: 1, calls: 1 } }]);
  });
});
