import type { ImportContext } from '../../src/capture/importers/importer.js';
import type { Session, Step } from './foreign-sessions.js';

const START = Date.UTC(2026, 2, 31, 18);
const ms = (second: number): number => START + second * 1_000;
const at = (second: number): string => new Date(ms(second)).toISOString();
const CWD = '/srv/shop';
const API_ERROR = 'API Error: 529 Overloaded';
const lines = (records: readonly object[]): string[] => records.map((record) => JSON.stringify(record));

/** A stream of Codex has no times: the file has. */
export const streamFile = (_session: Session): ImportContext => ({ recordedAt: at(0) });

/** What `codex exec --json` prints. It does not hold the task. */
export function codexStream({ id, steps, answer, end }: Session): string[] {
  const started = steps.map((step, index) => codexItem(step, `item_${index + 1}`));
  const events: object[] = [
    { type: 'thread.started', thread_id: id },
    { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'A notice' } },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_m', type: 'agent_message', text: answer } },
    ...started.flatMap((item) => [
      { type: 'item.started', item: { ...item, status: 'in_progress', exit_code: null, error: null, result: null } },
      { type: 'item.completed', item },
    ]),
  ];
  if (end === 'normal') events.push({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
  if (end === 'api-error')
    events.push({ type: 'error', message: API_ERROR }, { type: 'turn.failed', error: { message: API_ERROR } });
  return lines(events);
}

function codexItem({ tool, input, output, error }: Step, id: string): object {
  const status = error === undefined ? 'completed' : 'failed';
  if (tool === 'Bash') {
    const command = `/bin/bash -lc '${String(input['command']).replaceAll("'", `'\\''`)}'`;
    const text = { aggregated_output: error ?? output, exit_code: error === undefined ? 0 : 1 };
    return { id, type: 'command_execution', command, ...text, status };
  }
  const result = error === undefined ? { content: [{ type: 'text', text: output }] } : null;
  const failure = error === undefined ? null : { message: error };
  return { id, type: 'mcp_tool_call', server: 'shop', tool, arguments: input, result, error: failure, status };
}

/** What `claude -p --output-format stream-json` prints, with the prompt as `--replay-user-messages` repeats it. */
export function claudeCodeStream({ id, task, steps, answer, end }: Session): string[] {
  let n = 0;
  const base = (type: string, fields: object) => {
    n += 1;
    return { type, ...fields, parent_tool_use_id: null, session_id: id, uuid: `${id}-${n}`, timestamp: at(n) };
  };
  const says = (reply: string, content: object[], model = 'a-model') =>
    base('assistant', { message: { id: reply, model, content, stop_reason: null } });
  const messages: object[] = [
    { type: 'system', subtype: 'init', cwd: CWD, session_id: id, model: 'a-model', tools: ['Bash'], skills: [] },
    base('user', { message: { role: 'user', content: [{ type: 'text', text: task }] } }),
  ];
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const call = `${id}-call-${index}`;
    const result = { type: 'tool_result', tool_use_id: call, is_error: error !== undefined, content: error ?? output };
    messages.push(says(`${id}-turn-${index}`, [{ type: 'tool_use', id: call, name: tool, input }]));
    messages.push(base('user', { message: { role: 'user', content: [result] }, tool_use_result: { stdout: output } }));
  }
  const last = { session_id: id, num_turns: steps.length + 1, permission_denials: [], uuid: `${id}-result` };
  if (end === 'normal') messages.push(says(`${id}-last`, [{ type: 'text', text: answer }]));
  if (end === 'normal') messages.push({ type: 'result', subtype: 'success', is_error: false, result: answer, ...last });
  if (end === 'api-error')
    messages.push(says(`${id}-last`, [{ type: 'text', text: API_ERROR }], '<synthetic>'), {
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: API_ERROR,
      ...last,
    });
  if (end === 'max-turns') messages.push({ type: 'result', subtype: 'error_max_turns', is_error: true, ...last });
  if (end === 'interrupted')
    messages.push(base('user', { message: { role: 'user', content: '[Request interrupted by user]' } }));
  return lines(messages);
}

/** What `cursor-agent -p --output-format stream-json` prints. */
export function cursorStream({ id, task, steps, answer, end }: Session): string[] {
  let n = 0;
  const event = (type: string, fields: object) => {
    n += 1;
    return { type, ...fields, session_id: id, timestamp_ms: ms(n) };
  };
  const says = (role: string, text: string) => event(role, { message: { role, content: [{ type: 'text', text }] } });
  const events: object[] = [
    event('system', { subtype: 'init', apiKeySource: 'login', cwd: CWD, model: 'A Model', permissionMode: 'default' }),
    says('user', task),
  ];
  for (const [index, step] of steps.entries()) {
    const call = { call_id: `${id}-call-${index}`, model_call_id: `${id}-reply-${index}` };
    const { name, args, result } = cursorTool(step);
    events.push(event('tool_call', { subtype: 'started', ...call, tool_call: { [name]: { args } } }));
    events.push(event('tool_call', { subtype: 'completed', ...call, tool_call: { [name]: { args, result } } }));
  }
  const last = { subtype: 'success', duration_ms: 5, request_id: `${id}-request` };
  if (end === 'normal') events.push(says('assistant', answer));
  if (end === 'normal') events.push(event('result', { ...last, is_error: false, result: answer }));
  if (end === 'api-error') events.push(event('result', { ...last, is_error: true, result: API_ERROR }));
  return lines(events);
}

function cursorTool({ tool, input, output, error }: Step) {
  if (tool === 'Bash') {
    const printed = { stdout: error === undefined ? output : '', stderr: error ?? '' };
    const exitCode = error === undefined ? 0 : 1;
    const result = { [error === undefined ? 'success' : 'failure']: { ...input, ...printed, exitCode } };
    const parsed = { simpleCommands: [input['command']], workingDirectory: CWD };
    return { name: 'shellToolCall', args: { ...input, ...parsed }, result };
  }
  const result = error === undefined ? { success: { content: output } } : { error: { errorMessage: error } };
  return { name: 'mcpToolCall', args: { serverIdentifier: 'shop', toolName: tool, args: input }, result };
}
