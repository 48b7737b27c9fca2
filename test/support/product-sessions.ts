import type { Session, Step } from './foreign-sessions.js';

const START = Date.UTC(2026, 2, 31, 18);
const at = (second: number): string => new Date(START + second * 1_000).toISOString();
const ms = (second: number): number => START + second * 1_000;
const CWD = '/srv/shop';
const API_ERROR = 'API Error: 529 Overloaded';
const isShell = (tool: string): boolean => tool === 'Bash';
const lines = (records: readonly object[]): string[] => records.map((record) => JSON.stringify(record));

/** A session file of Gemini CLI: a reply is written again when its call has ended. */
export function gemini({ id, task, steps, answer, end }: Session): string[] {
  const message = (n: number, type: string, fields: object) => ({
    id: `${id}-${n}`,
    timestamp: at(n),
    type,
    ...fields,
  });
  const context = `<session_context>\n- **Workspace Directories:**\n  - ${CWD}\n</session_context>`;
  const records: object[] = [
    { sessionId: id, projectHash: 'a-project', startTime: at(0), lastUpdated: at(0), kind: 'main' },
    { $set: { messages: [message(0, 'user', { content: [{ text: context }] })], lastUpdated: at(0) } },
    message(1, 'user', { content: [{ text: task }] }),
  ];
  for (const [index, step] of steps.entries()) {
    const reply = message(2 + index * 2, 'gemini', { content: 'Next.', model: 'a-model' });
    const call = geminiCall(step, `${id}-call-${index}`);
    const response = { functionResponse: { id: call.id, name: call.name, response: call.response } };
    const { response: _response, ...rest } = call;
    records.push(reply, { ...reply, toolCalls: [{ ...rest, timestamp: at(3 + index * 2), result: [response] }] });
    records.push(message(3 + index * 2, 'user', { content: [response] }), { $set: { lastUpdated: at(3 + index * 2) } });
  }
  const last = 2 + steps.length * 2;
  if (end === 'normal') records.push(message(last, 'gemini', { content: answer, model: 'a-model' }));
  if (end === 'api-error') records.push(message(last, 'error', { content: `[${API_ERROR}]` }));
  if (end === 'interrupted') records.push(message(last, 'info', { content: 'Request cancelled.' }));
  return lines(records);
}

function geminiCall({ tool, input, output, error }: Step, id: string) {
  const shell = `<untrusted_context>\nOutput: ${error ?? output}\n${error === undefined ? '' : 'Exit Code: 1\n'}Process Group PGID: 7\n</untrusted_context>`;
  if (isShell(tool))
    return { id, name: 'run_shell_command', args: input, status: 'success', response: { output: shell } };
  const response = error === undefined ? { output } : { error };
  return { id, name: tool, args: input, status: error === undefined ? 'success' : 'error', response };
}

/** A session of OpenCode, as `opencode export` prints it. */
export function openCode({ id, task, steps, answer, end }: Session): string[] {
  const info = (n: number, fields: object) => ({
    id: `${id}-${n}`,
    sessionID: id,
    time: { created: ms(n), completed: ms(n + 1) },
    ...fields,
  });
  const assistant = { role: 'assistant', modelID: 'a-model', path: { cwd: CWD, root: CWD } };
  const messages: object[] = [
    {
      info: info(0, { role: 'user' }),
      parts: [
        { type: 'text', text: `"${task}"` },
        { type: 'text', text: 'A lesson of the server', synthetic: true },
      ],
    },
    ...steps.map((step, index) => ({
      info: info(1 + index * 2, { ...assistant, finish: 'tool-calls' }),
      parts: [{ type: 'step-start' }, openCodePart(step, `${id}-call-${index}`, 1 + index * 2)],
    })),
  ];
  const last = 1 + steps.length * 2;
  const errors = {
    'api-error': { name: 'APIError', data: { message: API_ERROR, statusCode: 529 } },
    interrupted: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
  };
  if (end === 'normal')
    messages.push({ info: info(last, { ...assistant, finish: 'stop' }), parts: [{ type: 'text', text: answer }] });
  if (end === 'api-error' || end === 'interrupted')
    messages.push({ info: info(last, { ...assistant, error: errors[end] }), parts: [] });
  const session = {
    id,
    directory: CWD,
    version: '1.18.33',
    title: answer,
    time: { created: ms(0), updated: ms(last) },
  };
  return [JSON.stringify({ info: session, messages })];
}

function openCodePart({ tool, input, output, error }: Step, callID: string, n: number) {
  const time = { start: ms(n), end: ms(n + 1) };
  if (!isShell(tool) && error !== undefined)
    return { type: 'tool', tool, callID, state: { status: 'error', input, error, time } };
  const metadata = { output: error ?? output, ...(isShell(tool) ? { exit: error === undefined ? 0 : 1 } : {}) };
  const state = { status: 'completed', input, output: `${error ?? output}\n\nA lesson of the server`, metadata, time };
  return { type: 'tool', tool: isShell(tool) ? 'bash' : tool, callID, state };
}

/** The events of a session of Copilot CLI. */
export function copilot({ id, task, steps, answer, end }: Session): string[] {
  let n = 0;
  const event = (type: string, data: object) => {
    n += 1;
    return { type, data, id: `${id}-${n}`, timestamp: at(n), parentId: `${id}-${n - 1}` };
  };
  const events: object[] = [
    event('session.start', {
      sessionId: id,
      copilotVersion: '1.0.102',
      selectedModel: 'a-model',
      context: { cwd: CWD },
    }),
    event('hook.start', { hookType: 'userPromptSubmitted', input: { sessionId: id, prompt: task, cwd: CWD } }),
    event('user.message', { content: task, transformedContent: `<current_datetime>now</current_datetime>\n\n${task}` }),
    event('system.message', { role: 'system', content: 'You are a helper.' }),
  ];
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const call = { toolCallId: `${id}-call-${index}`, model: 'a-model' };
    const name = isShell(tool) ? 'bash' : tool;
    const request = { toolCallId: call.toolCallId, name, arguments: input };
    events.push(
      event('assistant.message', { messageId: `${id}-reply-${index}`, content: '', toolRequests: [request] }),
    );
    events.push(event('tool.execution_start', { ...call, toolName: name, arguments: input }));
    const code = error === undefined ? 0 : 1;
    const content = isShell(tool) ? `${error ?? output}\n<shellId: 0 completed with exit code ${code}>` : output;
    const result = isShell(tool)
      ? { success: true, shellExecution: { exitCode: code }, result: { content } }
      : error === undefined
        ? { success: true, result: { content } }
        : { success: false, error: { message: error, code: 'failure' } };
    events.push(event('tool.execution_complete', { ...call, ...result }));
  }
  const last = { messageId: `${id}-last`, model: 'a-model', content: answer, toolRequests: [] };
  if (end === 'normal') events.push(event('assistant.message', last));
  const failure = { errorType: 'overloaded', message: API_ERROR, statusCode: 529 };
  if (end === 'api-error') events.push(event('session.error', failure));
  if (end === 'interrupted') events.push(event('abort', { reason: 'user initiated' }));
  events.push(event('session.shutdown', { shutdownType: 'routine' }));
  return lines(events);
}

/** The hook events of Gemini CLI, OpenCode and Copilot CLI, each with its name and its time of receipt. */
export function productHooks(product: 'gemini' | 'opencode' | 'copilot'): (session: Session) => string[] {
  return ({ id, task, steps, answer, end }) => {
    let second = 0;
    const names = NAMES[product];
    const hook = (name: string, fields: object) => {
      second += 1;
      return { ...BASE[product](id, second), hook_event_name: name, received_at: at(second), ...fields };
    };
    const [start, prompt, before, after, stop, over] = names;
    const events = [hook(start, { source: 'startup' }), hook(prompt, { prompt: task })];
    for (const [index, step] of steps.entries()) {
      const call = CALLS[product](step, `${id}-call-${index}`);
      events.push(hook(before, call.asked));
      events.push(hook(call.event ?? after, call.answered));
    }
    if (end === 'normal') events.push(hook(stop, { prompt_response: answer }));
    if (over !== undefined) events.push(hook(over, { reason: 'other' }));
    return lines(events);
  };
}

const NAMES = {
  gemini: ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  opencode: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'session.idle', undefined],
  copilot: ['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'agentStop', 'sessionEnd'],
} as const;

const BASE = {
  gemini: (id: string, second: number) => ({ session_id: id, cwd: CWD, timestamp: at(second) }),
  opencode: (id: string) => ({ session_id: id, cwd: CWD, worktree: CWD }),
  copilot: (id: string, second: number) => ({ sessionId: id, cwd: CWD, timestamp: ms(second) }),
};

interface HookedCall {
  readonly asked: object;
  readonly answered: object;
  readonly event?: string;
}

const CALLS: Record<keyof typeof NAMES, (step: Step, id: string) => HookedCall> = {
  gemini: (step, id) => {
    const { name, args, response } = geminiCall(step, id);
    const asked = { tool_name: name, tool_input: args };
    const { output, error } = { output: undefined, error: undefined, ...response };
    const result = error === undefined ? { llmContent: output } : { llmContent: error, error: { message: error } };
    return { asked, answered: { ...asked, tool_response: result } };
  },
  opencode: ({ tool, input, output, error }, id) => {
    const asked = { tool_name: isShell(tool) ? 'bash' : tool, tool_use_id: id, tool_input: input };
    const part = { tool, callID: id, state: { status: 'error', input, error } };
    if (!isShell(tool) && error !== undefined) return { asked, answered: { part }, event: 'PostToolUseFailure' };
    const code = isShell(tool) ? { exit_code: error === undefined ? 0 : 1 } : {};
    return { asked, answered: { ...asked, tool_response: error ?? output, ...code } };
  },
  copilot: ({ tool, input, output, error }) => {
    const asked = { toolName: isShell(tool) ? 'bash' : tool, toolArgs: input };
    const mark = `\n<shellId: 0 completed with exit code ${error === undefined ? 0 : 1}>`;
    const textResultForLlm = isShell(tool) ? `${error ?? output}${mark}` : (error ?? output);
    const resultType = !isShell(tool) && error !== undefined ? 'failure' : 'success';
    return { asked, answered: { ...asked, toolResult: { resultType, textResultForLlm } } };
  },
};
