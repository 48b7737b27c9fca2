import { describe, expect, it } from '@jest/globals';
import { type LogSketch, otlp, otlpLogs, traceId } from '../../../test/support/otlp.js';
import { callKeysOf } from '../report/call-lineage.js';
import { otelImporter } from './otel.importer.js';

const SESSION = 'session-1';
const derive = (...requests: object[]) => otelImporter.derive(requests.map((request) => JSON.stringify(request)));
const only = (...requests: object[]) => {
  const { reports } = derive(...requests);
  expect(reports).toHaveLength(1);
  return reports[0];
};
const claude = (event: string, at: number, attributes: object = {}): LogSketch => ({
  event: `claude_code.${event}`,
  at,
  attributes: { 'session.id': SESSION, ...attributes },
});
const result = (at: number, id: string, command: string, error?: string) =>
  claude('tool_result', at, {
    tool_name: 'Bash',
    tool_use_id: id,
    success: String(error === undefined),
    duration_ms: '20',
    tool_input: JSON.stringify({ command }),
    ...(error === undefined ? {} : { error, error_type: 'ShellError' }),
  });
const request = (at: number, attributes: object = {}) =>
  claude('api_request', at, { model: 'a-model', query_source: 'sdk', duration_ms: '5', ...attributes });

const CLAUDE_SESSION = [
  claude('user_prompt', 0, { prompt: '<REDACTED>' }),
  request(10),
  result(40, 'one', 'python close.py', 'SyntaxError: invalid syntax'),
  request(50),
  result(80, 'two', 'python3 close.py'),
  request(90),
];

describe('the log records of Claude Code', () => {
  it('are one execution of the session', () => {
    expect(only(otlpLogs(CLAUDE_SESSION))).toMatchObject({
      executionId: expect.stringMatching(/^claude-code-otel:session-1:[0-9a-f]{8}$/),
      taskTitle: 'Claude Code session',
      sessionId: SESSION,
      model: 'a-model',
      status: 'completed',
      turnCount: 3,
      toolCalls: [
        { name: 'Bash', action: 'python close.py', ok: false, errorCategory: 'SyntaxError', durationMs: 20 },
        { name: 'Bash', action: 'python3 close.py', ok: true },
      ],
      tags: ['claude-code', 'otel'],
    });
  });

  it('name their calls as the transcript of the session does, where their ids are random', () => {
    const id = 'toolu_01A09q90qw90lq917835lq9';
    const [key] = callKeysOf([{ id, name: 'Bash', input: { command: 'python close.py' }, at: '' }]);
    const records = [claude('user_prompt', 0), result(40, id, 'python close.py'), result(60, 'two', 'ls'), request(90)];
    expect(only(otlpLogs(records))?.callKeys).toEqual([key, '']);
  });

  it('and its spans are one execution, in which no call and no turn counts twice', () => {
    const product = { 'session.id': SESSION, 'gen_ai.conversation.id': SESSION };
    const prompt = (trace: number, from: number, spans: Parameters<typeof otlp>[0]) =>
      otlp(
        [
          {
            id: 1,
            name: 'claude_code.interaction',
            from,
            to: from + 99,
            attributes: { ...product, 'span.type': 'interaction' },
          },
          ...spans,
        ],
        { trace: traceId(trace) },
      );
    const llm = (id: number, from: number) => ({
      id,
      parent: 1,
      name: 'claude_code.llm_request',
      from,
      attributes: { ...product, 'span.type': 'llm_request', stop_reason: 'end_turn' },
    });
    const tool = (id: number, from: number, call: string) => ({
      id,
      parent: 1,
      name: 'claude_code.tool',
      from,
      attributes: { ...product, 'span.type': 'tool', tool_name: 'Bash', tool_use_id: call },
    });
    const subAgent = {
      id: 9,
      parent: 3,
      name: 'claude_code.llm_request',
      from: 31,
      attributes: { 'session.id': SESSION, 'gen_ai.conversation.id': 'a-sub-agent', 'span.type': 'llm_request' },
    };
    const traces = [
      prompt(1, 0, [llm(2, 5), tool(3, 30, 'one'), subAgent, llm(4, 45)]),
      prompt(2, 60, [tool(5, 70, 'two'), llm(6, 85)]),
    ];
    const report = only(otlpLogs(CLAUDE_SESSION), ...traces);
    expect(report).toMatchObject({ sessionId: SESSION, turnCount: 3, status: 'completed' });
    expect(report?.toolCalls.map(({ action, ok }) => [action, ok])).toEqual([
      ['python close.py', false],
      ['python3 close.py', true],
    ]);
    // in any order the same
    expect(only(...[...traces].reverse(), otlpLogs([...CLAUDE_SESSION].reverse()))).toEqual(report);
  });

  it('tell which skills were loaded and applied, and count no turn of a sub-agent', () => {
    const { reports, skillUses } = derive(
      otlpLogs([
        ...CLAUDE_SESSION,
        claude('skill_activated', 41, { 'skill.name': 'close-books', invocation_trigger: 'nested-skill' }),
        request(91, { 'skill.name': 'close-books' }),
        request(92, { 'skill.name': 'other-skill', agent_id: 'a1', query_source: 'agent:builtin:general-purpose' }),
      ]),
    );
    expect(reports[0]?.turnCount).toBe(4);
    expect(skillUses).toMatchObject([
      {
        uses: [
          { skill: 'close-books', event: 'loaded' },
          { skill: 'close-books', event: 'applied' },
        ],
      },
    ]);
  });

  it('tell of a refused call, of an unfinished session and of a failed request', () => {
    const refused = claude('tool_decision', 95, { decision: 'reject', tool_name: 'Bash', tool_use_id: 'three' });
    expect(only(otlpLogs([...CLAUDE_SESSION, refused]))).toMatchObject({
      status: 'aborted',
      toolCalls: [{}, {}, { ok: false, ran: false, errorCategory: 'denied' }],
    });
    const error = claude('api_error', 99, { error: 'Overloaded', status_code: '529' });
    expect(only(otlpLogs([...CLAUDE_SESSION, error]))).toMatchObject({ status: 'failed', errorCategory: 'http-529' });
  });

  it('name the tool of an MCP server as its transcript does', () => {
    const call = claude('tool_result', 20, {
      tool_name: 'mcp_tool',
      success: 'true',
      tool_parameters: JSON.stringify({ mcp_server_name: 'tracker', mcp_tool_name: 'list_issues' }),
    });
    expect(only(otlpLogs([request(10), call, request(30)]))?.toolCalls).toMatchObject([
      { name: 'mcp__tracker__list_issues' },
    ]);
  });

  it('without an event of an execution are no execution', () => {
    expect(derive(otlpLogs([claude('plugin_loaded', 1), claude('hook_registered', 2)])).reports).toEqual([]);
    expect(derive(otlpLogs([{ event: 'http.request', attributes: { 'session.id': 'x' } }])).reports).toEqual([]);
  });
});

describe('the log records of Codex', () => {
  const codex = (event: string, at: number, attributes: object = {}): LogSketch => ({
    event: `codex.${event}`,
    at,
    attributes: { 'conversation.id': SESSION, model: 'a-model', 'user.email': 'jo@example.com', ...attributes },
  });
  const call = (at: number, id: string, command: string, output: string, success = 'true') =>
    codex('tool_result', at, {
      tool_name: 'shell',
      call_id: id,
      arguments: JSON.stringify({ command: ['bash', '-lc', command] }),
      output,
      success,
      duration_ms: '12',
    });

  it('are one execution, in which an exit code counts more than the success of the tool', () => {
    const report = only(
      otlpLogs([
        codex('conversation_starts', 0),
        codex('user_prompt', 1, { prompt: '[REDACTED]' }),
        codex('api_request', 2),
        call(3, 'a', 'python close.py', 'Exit code: 1\nWall time: 1 s\nOutput:\nSyntaxError: invalid syntax'),
        codex('api_request', 4),
        call(5, 'b', 'python3 close.py', 'closed'),
        codex('tool_decision', 6, { tool_name: 'shell', call_id: 'c', decision: 'denied' }),
        codex('api_request', 7),
      ]),
    );
    expect(report).toMatchObject({
      executionId: expect.stringMatching(/^codex-otel:session-1:/),
      turnCount: 3,
      status: 'completed',
      toolCalls: [
        { action: 'python close.py', ok: false, errorCategory: 'SyntaxError' },
        { action: 'python3 close.py', ok: true },
        { ok: false, ran: false },
      ],
    });
    expect(JSON.stringify(report)).not.toContain('example.com');
  });
});

describe('the log records of Gemini CLI', () => {
  const gemini = (event: string, at: number, attributes: object = {}): LogSketch => ({
    event: `gemini_cli.${event}`,
    at,
    attributes: { 'session.id': SESSION, ...attributes },
  });
  const call = (at: number, command: string, attributes: object) =>
    gemini('tool_call', at, {
      function_name: 'run_shell_command',
      function_args: JSON.stringify({ command }),
      duration_ms: 12,
      ...attributes,
    });

  it('are one execution', () => {
    const records = [
      gemini('user_prompt', 0),
      gemini('api_response', 1, { model: 'a-model' }),
      call(2, 'python close.py', { success: false, error: 'SyntaxError: invalid syntax', error_type: 'execution' }),
      gemini('api_response', 3, { model: 'a-model' }),
      call(4, 'python3 close.py', { success: true, decision: 'auto_accept' }),
      call(5, 'rm -r data', { success: false, decision: 'reject' }),
      gemini('api_response', 6, { model: 'a-model' }),
    ];
    expect(only(otlpLogs(records, { resource: { 'service.name': 'gemini-cli' } }))).toMatchObject({
      executionId: expect.stringMatching(/^gemini-otel:session-1:/),
      model: 'a-model',
      turnCount: 3,
      toolCalls: [
        { action: 'python close.py', ok: false, errorCategory: 'SyntaxError' },
        { action: 'python3 close.py', ok: true },
        { ok: false, errorCategory: 'denied', ran: false },
      ],
    });
  });
});

describe('an export of logs', () => {
  it('counts records that are no objects, and skips those without a name or a time', () => {
    const request = {
      resourceLogs: [{ scopeLogs: [{ logRecords: ['text', {}, { eventName: 'codex.tool_result' }] }] }],
    };
    expect(derive(request)).toMatchObject({
      reports: [],
      omitted: [{ reason: 'span or log record that cannot be read', count: 1 }],
      counts: { badLines: 0 },
    });
  });
});
