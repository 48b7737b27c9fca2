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

const script = (id: string, input: string) =>
  line('response_item', { type: 'custom_tool_call', name: 'exec', input, call_id: id });
const printed = (id: string, ...texts: string[]) =>
  line('response_item', {
    type: 'custom_tool_call_output',
    call_id: id,
    output: texts.map((text) => ({ type: 'input_text', text })),
  });
const HEAD = 'Script completed\nWall time 0.2 seconds\nOutput:\n';

describe('the calls of a script in a rollout of Codex', () => {
  it('are those that events report, each with its own result', () => {
    const command = (id: string, text: string, code: number) =>
      completed({
        type: 'CommandExecution',
        id,
        command: ['/bin/bash', '-lc', text],
        exit_code: code,
        aggregated_output: code === 0 ? '' : 'Error: no such target',
        status: code === 0 ? 'completed' : 'failed',
      });
    expect(
      callsOf(
        script('s1', 'for (const cmd of targets) text(await tools.exec_command({ cmd }));'),
        command('exec-1', 'make lint', 0),
        command('exec-2', 'make tset', 2),
        completed({ type: 'McpToolCall', id: 'exec-3', server: 'crm', tool: 'list', status: 'completed' }),
        line('event_msg', { type: 'patch_apply_end', call_id: 'exec-5', success: true }),
        printed('s1', 'Script completed\nWall time 0.2 seconds'),
        script('s2', 'await tools.exec_command({ cmd: "make test" })'),
        printed('s2', HEAD, ''),
        command('exec-4', 'make test', 0),
      ),
    ).toMatchObject([
      { name: 'exec_command', action: 'make lint', ok: true },
      { name: 'exec_command', action: 'make tset', ok: false, errorLine: 'Error: no such target' },
      { name: 'mcp__crm__list', ok: true },
      { name: 'apply_patch', ok: true },
      { name: 'exec_command', action: 'make test', ok: true },
    ]);
  });

  it('are read from its text where no event reports them, with the results that it prints', () => {
    expect(
      callsOf(
        script('s1', 'const r = await tools.exec_command({"cmd":"make tset","workdir":"/srv/shop"}); text(r);'),
        printed('s1', HEAD, '{"wall_time_seconds":0.1,"exit_code":2,"output":"make: no rule for tset"}'),
        script(
          's2',
          'const a = await tools.exec_command({cmd: "make a"}); const b = await tools.exec_command({cmd: "make b"}); text(a); text(b);',
        ),
        printed('s2', HEAD, '{"exit_code":0,"output":""}', '{"exit_code":1,"output":"Error: no such target"}'),
      ),
    ).toMatchObject([
      { name: 'exec_command', action: 'make tset', ok: false, errorMessage: 'Exit code 2\nmake: no rule for tset' },
      { action: 'make a', ok: true },
      { action: 'make b', ok: false, errorLine: 'Error: no such target' },
    ]);
  });

  it('are the script itself if nothing says which they were, or which of them failed', () => {
    expect(
      callsOf(
        script('s1', 'for (const cmd of targets) text(await tools.exec_command({ cmd }));'),
        printed('s1', HEAD, 'done'),
        script('s2', 'await tools.exec_command({ cmd: "make a" }); await tools.exec_command({ cmd: "make b" });'),
        printed('s2', 'Script failed\nWall time 0.1 seconds\nOutput:\n', 'ReferenceError: r is not defined'),
      ),
    ).toMatchObject([
      { name: 'exec', ok: true },
      { name: 'exec', ok: false, errorLine: 'ReferenceError: r is not defined' },
    ]);
  });

  it('have no result while the script runs', () => {
    const lines = [
      script('s1', 'await tools.exec_command({ cmd: "make" })'),
      printed('s1', 'Script running with cell ID 3\n'),
    ];
    expect(callsOf(...lines, call('list', 'a'), output('a', 'ok'))).toMatchObject([{ name: 'list' }]);
  });
});

describe('the verdict on a rollout of Codex', () => {
  const patch = (id: string) => [script(id, 'await tools.apply_patch("*** Begin Patch")'), printed(id, HEAD, 'Done')];
  const checked = (id: string) => [
    script(id, 'text(await tools.exec_command({ cmd: "make test" }));'),
    printed(id, HEAD, '{"exit_code":0,"output":""}'),
  ];
  const reportOf = (lines: string[], verdict?: object) =>
    codexImporter.derive(
      [line('session_meta', { id: 's' }), ...lines, line('event_msg', { type: 'task_complete' })],
      verdict && { judgements: [{ name: 'result.json', text: JSON.stringify(verdict), isOfOne: true }] },
    ).reports[0];

  it('is that of its own checks, also in scripts, if nothing else judges it', () => {
    expect(reportOf([...patch('a'), ...checked('b')])).toMatchObject({
      verification: { outcome: 'succeeded', source: 'self', checks: [{ name: 'make test', ok: true }] },
      qualityScore: 9,
    });
    expect(reportOf([...checked('b'), ...patch('a')])?.verification).toEqual({ outcome: 'none' });
  });

  it('is that of the file beside it, with its score or with 10 or 0', () => {
    const lines = [...patch('a'), ...checked('b')];
    expect(reportOf(lines, { resolved: false })).toMatchObject({
      verification: { outcome: 'failed' },
      qualityScore: 0,
    });
    expect(reportOf(lines, { resolved: true })).toMatchObject({ verification: { source: 'test' }, qualityScore: 10 });
    expect(reportOf(lines, { success: true, source: 'person', qualityScore: 8.5 })).toMatchObject({
      verification: { outcome: 'succeeded', source: 'person' },
      qualityScore: 8.5,
    });
  });
});

describe('the session of a rollout', () => {
  const idOf = (sessionHint: string) =>
    codexImporter.derive([line('session_meta', { id: 's' }), call('list', 'a'), output('a', 'ok')], { sessionHint })
      .reports[0]?.sessionId;

  it('is that of its file, by which Codex finds it, and else that of its first record', () => {
    const id = '01980001-aaaa-7bbb-8ccc-000000000009';
    expect(idOf(`rollout-2026-11-03T09-00-00-${id}`)).toBe(id);
    expect(idOf('rollout-copy')).toBe('s');
  });
});
