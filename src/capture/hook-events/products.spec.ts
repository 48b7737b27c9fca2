import { describe, expect, it } from '@jest/globals';
import { HOOK_PRODUCTS, hookPayloadOf } from './products.js';

const CLAUDE = {
  session_id: 's-1',
  transcript_path: '~/.claude/projects/-srv-shop/s-1.jsonl',
  cwd: '/srv/shop',
  prompt_id: 'p-1',
  permission_mode: 'bypassPermissions',
  effort: { level: 'medium' },
};
const CODEX = {
  session_id: 's-1',
  turn_id: 't-1',
  transcript_path: '~/.codex/sessions/2026/11/22/rollout-s-1.jsonl',
  cwd: '/srv/shop',
  hook_event_name: 'PostToolUse',
  model: 'a-model',
  tool_name: 'Bash',
  tool_input: { command: 'python3 -c "print 1"' },
  tool_use_id: 'call_1',
};
const GEMINI = {
  session_id: 's-1',
  transcript_path: '~/.gemini/tmp/shop/chats/session-s-1.jsonl',
  cwd: '/srv/shop',
  timestamp: '2026-11-22T10:00:00.000Z',
};
const COPILOT = { sessionId: 's-1', timestamp: 1795345128161, cwd: '/srv/shop' };
const TRACEBACK = '  File "<string>", line 1\nSyntaxError: Missing parentheses';

const gemini = (llmContent: unknown, fields: object = {}) =>
  hookPayloadOf('gemini', 'AfterTool', {
    ...GEMINI,
    hook_event_name: 'AfterTool',
    tool_name: 'run_shell_command',
    tool_input: { command: 'python3 -c "print 1"' },
    tool_response: { llmContent, returnDisplay: 'shown' },
    ...fields,
  });
const copilot = (textResultForLlm: string, resultType = 'success') =>
  hookPayloadOf('copilot', 'postToolUse', {
    ...COPILOT,
    toolName: 'bash',
    toolArgs: { command: 'python3 -c "print 1"' },
    toolResult: { resultType, textResultForLlm },
  });
const openCode = (exit: number, fields: object = {}) => ({
  session_id: 's-1',
  tool_name: 'bash',
  tool_use_id: 'call_1',
  tool_input: { command: 'python3 -c "print 1"' },
  tool_response: TRACEBACK,
  exit_code: exit,
  cwd: '/srv/shop',
  ...fields,
});

describe('the hook event of a product', () => {
  it('of Claude Code stays as it is, with its own event for a failure', () => {
    const failure = { ...CLAUDE, tool_name: 'Bash', tool_input: { command: 'x' }, error: 'Exit code 1\nno' };
    expect(hookPayloadOf('claude-code', 'PostToolUseFailure', failure)).toEqual({
      hook_event_name: 'PostToolUseFailure',
      session_id: 's-1',
      cwd: '/srv/shop',
      transcript_path: CLAUDE.transcript_path,
      prompt_id: 'p-1',
      tool_name: 'Bash',
      tool_input: { command: 'x' },
      error: 'Exit code 1\nno',
    });
  });

  it('of Codex failed if the text of its result is that of a failure', () => {
    expect(hookPayloadOf('codex', 'PostToolUse', { ...CODEX, tool_response: `${TRACEBACK}\n` })).toMatchObject({
      hook_event_name: 'PostToolUseFailure',
      error: `${TRACEBACK}\n`,
      ran: true,
      turn_id: 't-1',
      model: 'a-model',
    });
    expect(hookPayloadOf('codex', 'PostToolUse', { ...CODEX, tool_response: 'all is well\n' })).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { stdout: 'all is well\n' },
    });
  });

  it('of Gemini CLI failed if its text names an exit code', () => {
    const content = `<untrusted_context>\nOutput: ${TRACEBACK}\nExit Code: 1\nProcess Group PGID: 3711\n</untrusted_context>`;
    expect(gemini(content)).toMatchObject({
      hook_event_name: 'PostToolUseFailure',
      session_id: 's-1',
      error: `Exit code 1\n${TRACEBACK}`,
      sentAt: '2026-11-22T10:00:00.000Z',
    });
    const worked = '<untrusted_context>\nOutput: Exit Code: 3\nfine\nProcess Group PGID: 3711\n</untrusted_context>';
    expect(gemini(worked)).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { stdout: 'Exit Code: 3\nfine' },
    });
    expect(gemini('', { tool_response: { error: { message: 'no such file', type: 'x' } } })).toMatchObject({
      hook_event_name: 'PostToolUseFailure',
      error: 'no such file',
    });
    expect(gemini('Exit Code: 1 is in the file', { tool_name: 'read_file' })?.hook_event_name).toBe('PostToolUse');
  });

  it('of Gemini CLI has the prompt without the text of our own hook', () => {
    const prompt = '<hook_context>Three lessons</hook_context>\n\nClose the books';
    expect(hookPayloadOf('gemini', 'BeforeAgent', { ...GEMINI, prompt })).toMatchObject({
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Close the books',
    });
  });

  it('of Copilot CLI failed if its text ends with an exit code', () => {
    expect(copilot(`${TRACEBACK}\n<shellId: 0 completed with exit code 1>`)).toMatchObject({
      hook_event_name: 'PostToolUseFailure',
      session_id: 's-1',
      tool_name: 'bash',
      tool_input: { command: 'python3 -c "print 1"' },
      error: `Exit code 1\n${TRACEBACK}`,
      ran: true,
    });
    expect(copilot('fine\n<shellId: 0 completed with exit code 0>')).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { stdout: 'fine' },
    });
    expect(copilot('<exited with exit code 1>\nis what the file says')?.hook_event_name).toBe('PostToolUse');
    expect(copilot('The user rejected it.', 'rejected')).toMatchObject({ hook_event_name: 'PostToolUseFailure' });
    expect(copilot('The user rejected it.', 'rejected')?.ran).toBeUndefined();
  });

  it('of OpenCode failed if its exit code is not 0, in the words of the plugin and of its functions', () => {
    const failed = {
      hook_event_name: 'PostToolUseFailure',
      session_id: 's-1',
      tool_name: 'bash',
      tool_use_id: 'call_1',
      tool_input: { command: 'python3 -c "print 1"' },
      error: `Exit code 1\n${TRACEBACK}`,
      cwd: '/srv/shop',
    };
    expect(hookPayloadOf('opencode', 'PostToolUse', openCode(1))).toMatchObject(failed);
    const input = { tool: 'bash', sessionID: 's-1', callID: 'call_1', args: { command: 'python3 -c "print 1"' } };
    const output = { title: 'x', output: TRACEBACK, metadata: { output: TRACEBACK, exit: 1, truncated: false } };
    expect(hookPayloadOf('opencode', 'tool.execute.after', { input, output, cwd: '/srv/shop' })).toMatchObject(failed);
    expect(hookPayloadOf('opencode', 'PostToolUse', openCode(0))).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { stdout: TRACEBACK },
    });
  });

  it('of OpenCode has the error of a tool that failed without a result, and no other part', () => {
    const part = {
      sessionID: 's-1',
      tool: 'read',
      callID: 'call_2',
      state: { status: 'error', input: { filePath: 'a' }, error: 'File not found: a' },
    };
    expect(hookPayloadOf('opencode', 'message.part.updated', { properties: { part } })).toMatchObject({
      hook_event_name: 'PostToolUseFailure',
      session_id: 's-1',
      tool_name: 'read',
      error: 'File not found: a',
    });
    const running = { ...part, state: { status: 'running' } };
    expect(hookPayloadOf('opencode', 'PostToolUseFailure', { session_id: 's-1', part: running })).toBeUndefined();
  });

  it('of OpenCode has a prompt without the quotation marks and the added parts', () => {
    const parts = [
      { type: 'text', text: '"Close the books"\n' },
      { type: 'text', text: 'ours', synthetic: true },
    ];
    expect(hookPayloadOf('opencode', 'chat.message', { input: { sessionID: 's-1' }, output: { parts } })).toMatchObject(
      {
        hook_event_name: 'UserPromptSubmit',
        session_id: 's-1',
        prompt: 'Close the books',
      },
    );
    expect(hookPayloadOf('opencode', 'session.idle', { properties: { sessionID: 's-1' } })).toMatchObject({
      hook_event_name: 'Stop',
      session_id: 's-1',
    });
  });

  it('has one name for each moment', () => {
    const names = (product: (typeof HOOK_PRODUCTS)[number], events: string[]) =>
      events.map(
        (event) => hookPayloadOf(product, event, { session_id: 's', sessionID: 's', sessionId: 's' })?.hook_event_name,
      );
    const moments = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'];
    expect(
      names('gemini', ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd']),
    ).toEqual(moments);
    expect(
      names('copilot', ['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'agentStop', 'sessionEnd']),
    ).toEqual(moments);
    expect(
      names('opencode', [
        'session.created',
        'chat.message',
        'tool.execute.before',
        'tool.execute.after',
        'session.idle',
      ]),
    ).toEqual(moments.slice(0, 5));
    expect(names('codex', moments)).toEqual(moments);
  });

  it('is undefined for an unknown event, a body without a session, and a body that is no object', () => {
    for (const product of HOOK_PRODUCTS) {
      expect(hookPayloadOf(product, 'Unknown', { session_id: 's', sessionID: 's', sessionId: 's' })).toBeUndefined();
      expect(hookPayloadOf(product, '__proto__', { session_id: 's' })).toBeUndefined();
      for (const body of [{}, [], null, 'text', 7]) expect(hookPayloadOf(product, 'Stop', body)).toBeUndefined();
    }
  });
});
