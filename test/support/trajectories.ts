import type { Session, Step } from './foreign-sessions.js';

const START = Date.UTC(2026, 2, 31, 18);
const at = (second: number): string => new Date(START + second * 1_000).toISOString();
/** Without an offset, as Python writes it. */
const local = (second: number): string => at(second).replace('Z', '000');
const CWD = '/srv/shop';
const API_ERROR = 'API Error: 529 Overloaded';
const isShell = (tool: string): boolean => tool === 'Bash';
const document = (value: unknown): string[] => [JSON.stringify(value)];

/** The command of a step, for a harness that has a shell only. */
const commandOf = ({ tool, input }: Step): string =>
  isShell(tool) ? String(input['command']) : `${tool} <<'E'\n${JSON.stringify(input)}\nE`;

/** A trajectory of mini-swe-agent 2. */
export function miniSweAgent({ id, task, steps, answer, end }: Session): string[] {
  const seconds = (n: number): number => START / 1_000 + n;
  const reply = (n: number, command: string) => ({
    role: 'assistant',
    content: 'Next.',
    tool_calls: [
      { id: `call_${n}`, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } },
    ],
    extra: {
      actions: [{ command, tool_call_id: `call_${n}` }],
      response: { id: `${id}-${n}` },
      cost: 0,
      timestamp: seconds(n),
    },
  });
  const messages: object[] = [
    { role: 'system', content: 'You are a helper.' },
    { role: 'user', content: `${task}\n\n<system_information>\nLinux 6.1 a-machine x86_64\n</system_information>` },
  ];
  for (const [index, step] of steps.entries()) {
    const { output = '', error } = step;
    const returncode = error === undefined ? 0 : 1;
    const content = `<returncode>${returncode}</returncode>\n<output>\n${error ?? output}\n</output>`;
    const extra = { raw_output: error ?? output, returncode, timestamp: seconds(2 + index * 2), exception_info: '' };
    messages.push(reply(1 + index * 2, commandOf(step)), {
      role: 'tool',
      tool_call_id: `call_${1 + index * 2}`,
      content,
      extra,
    });
  }
  const status = { normal: 'Submitted', 'api-error': 'APIError', 'max-turns': 'LimitsExceeded', interrupted: '' }[end];
  const exit = { exit_status: status, submission: answer, exception_str: end === 'api-error' ? API_ERROR : '' };
  if (end === 'normal') messages.push(reply(90, 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT'));
  if (end === 'interrupted')
    messages.push({
      role: 'user',
      content: 'Interrupted by user: stop',
      extra: { interrupt_type: 'UserInterruption' },
    });
  else messages.push({ role: 'exit', content: answer, extra: exit });
  const config = { model: { model_name: 'a-model' }, environment: { cwd: CWD, env: { TOKEN: answer } } };
  const info = { ...exit, mini_version: '2.4.6', config };
  return document({ info, messages, trajectory_format: 'mini-swe-agent-1.1', task_of: id });
}

/** A `.traj` file of SWE-agent, whose model calls tools. */
export function sweAgent({ id, task, steps, answer, end }: Session): string[] {
  const actions = steps.map((step, n) => {
    const { tool, input } = step;
    const name = isShell(tool) ? 'bash' : tool;
    const action = isShell(tool) ? String(input['command']) : `${tool} ${JSON.stringify(input)}`;
    const call = { id: `${id}-call-${n}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    return { step, action, call };
  });
  const state = { working_dir: CWD, open_file: 'n/a' };
  const trajectory: object[] = actions.map(({ step: { output, error }, action }, n) => ({
    action,
    observation: error ?? output,
    response: 'Next.',
    thought: 'Next.',
    state,
    query: [],
    execution_time: 0.25 + n,
  }));
  const history: object[] = [
    { role: 'system', content: 'You are a helper.', message_type: 'system_prompt' },
    { role: 'user', content: 'A demonstration: python old.py', is_demo: true },
    { role: 'user', content: `Solve this: ${task}`, message_type: 'observation' },
    ...actions.map(({ action, call }) => ({ role: 'assistant', content: 'Next.', action, tool_calls: [call] })),
  ];
  const last = { thought: 'Done.', state, query: [], execution_time: 0 };
  if (end === 'normal')
    trajectory.push({ ...last, action: 'submit', observation: answer, response: answer, execution_time: 1 });
  const said = `Exit due to retry error: ${API_ERROR}`;
  if (end === 'api-error')
    trajectory.push({ ...last, action: '', observation: 'Exited (autosubmitted)', response: said });
  const status = {
    normal: 'submitted',
    'api-error': 'submitted (exit_api)',
    'max-turns': 'exit_cost',
    interrupted: 'early_exit',
  };
  const info = { exit_status: status[end], submission: answer, swe_agent_version: '1.1.0' };
  const replay = {
    agent: { model: { name: 'a-model', api_key: null } },
    problem_statement: { id, text: task, type: 'text' },
  };
  return document({ trajectory, history, info, replay_config: JSON.stringify(replay), environment: 'main' });
}

/** A list of events of OpenHands 0. */
export function openHandsV0({ id, task, steps, answer, end }: Session): string[] {
  const events: object[] = [
    { id: 0, timestamp: local(0), source: 'agent', action: 'system', args: { content: 'You are a helper.' } },
    { id: 1, timestamp: local(0), source: 'user', message: task, action: 'message', args: { content: task } },
  ];
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const n = 2 + index * 2;
    const name = isShell(tool) ? 'execute_bash' : tool;
    const call = { id: `${id}-call-${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    const message = { role: 'assistant', content: 'Next.', tool_calls: [call] };
    const model_response = { id: `${id}-reply-${index}`, model: 'a-model', choices: [{ index: 0, message }] };
    const tool_call_metadata = {
      function_name: name,
      tool_call_id: call.id,
      model_response,
      total_calls_in_response: 1,
    };
    const base = { source: 'agent', tool_call_metadata };
    const action = isShell(tool) ? 'run' : 'call_tool_mcp';
    const args = isShell(tool) ? { ...input, thought: 'Next.' } : { name, arguments: input, thought: 'Next.' };
    events.push({ ...base, id: n, timestamp: local(n), message: 'Running', action, args });
    const kind = isShell(tool) ? 'run' : error === undefined ? 'mcp' : 'error';
    const metadata = { exit_code: error === undefined ? 0 : 1, username: 'jo', hostname: 'box', working_dir: CWD };
    const extras = isShell(tool) ? { command: input['command'], metadata } : {};
    events.push({
      ...base,
      id: n + 1,
      timestamp: local(n + 1),
      cause: n,
      observation: kind,
      content: error ?? output,
      extras,
    });
  }
  const last = { id: 900, timestamp: local(90), source: 'environment' };
  const state = (agent_state: string, reason = '') => ({
    ...last,
    observation: 'agent_state_changed',
    content: '',
    extras: { agent_state, reason },
  });
  if (end === 'normal')
    events.push({ ...last, source: 'agent', message: answer, action: 'finish', args: { final_thought: answer } });
  if (end === 'api-error') events.push(state('error', `litellm.InternalServerError: ${API_ERROR}`));
  if (end === 'max-turns')
    events.push(state('error', 'RuntimeError: Agent reached maximum iteration. Current iteration: 9'));
  if (end === 'interrupted') events.push(state('stopped'));
  return document(events);
}

/** A conversation of OpenHands 1: its state, and an event a line. */
export function openHandsV1({ id, task, steps, answer, end }: Session): string[] {
  let n = 0;
  const event = (kind: string, source: string, fields: object) => {
    n += 1;
    return { id: `${id}-${n}`, timestamp: local(n), source, ...fields, kind };
  };
  const text = (said: string | undefined) => [{ type: 'text', text: said, cache_prompt: false }];
  const state = {
    id,
    agent: { kind: 'Agent', llm: { model: 'a-model' } },
    workspace: { working_dir: CWD },
    execution_status: 'running',
  };
  const records: object[] = [
    state,
    event('SystemPromptEvent', 'agent', { system_prompt: { type: 'text', text: 'You are a helper.' }, tools: [] }),
    event('MessageEvent', 'user', { llm_message: { role: 'user', content: text(task) }, activated_skills: [] }),
  ];
  for (const [index, { tool, input, output, error }] of steps.entries()) {
    const name = isShell(tool) ? 'terminal' : tool;
    const call = { tool_name: name, tool_call_id: `call-${index}` };
    const given = JSON.stringify({ ...input, summary: 'running the next thing', security_risk: 'LOW' });
    const asked = event('ActionEvent', 'agent', {
      ...call,
      thought: text('Next.'),
      action: { ...input, kind: 'AnAction' },
      tool_call: { id: call.tool_call_id, name, arguments: given },
      llm_response_id: `${id}-reply-${index}`,
      summary: 'running the next thing',
    });
    const exit = isShell(tool)
      ? { exit_code: error === undefined ? 0 : 1, metadata: { exit_code: 0, working_dir: CWD } }
      : {};
    const observation = { content: text(error ?? output), is_error: !isShell(tool) && error !== undefined, ...exit };
    records.push(asked, event('ObservationEvent', 'environment', { ...call, action_id: asked.id, observation }));
  }
  const said = { llm_message: { role: 'assistant', content: text(answer) }, llm_response_id: `${id}-last` };
  if (end === 'normal') records.push(event('MessageEvent', 'agent', said));
  const error = (code: string, detail: string) => event('ConversationErrorEvent', 'environment', { code, detail });
  if (end === 'api-error') records.push(error('LLMServiceUnavailableError', API_ERROR));
  if (end === 'max-turns') records.push(error('MaxIterationsReached', 'Agent reached maximum iterations limit (9).'));
  if (end === 'interrupted') records.push(event('PauseEvent', 'user', {}));
  return records.map((record) => JSON.stringify(record));
}

/** A run in the documented form. */
export function run({ id, task, steps, end }: Session): string[] {
  const ends = { normal: 'finished', 'api-error': 'error', 'max-turns': 'limit', interrupted: 'interrupted' };
  const tool_calls = steps.map(({ tool, input, output, error }, n) => ({
    tool,
    args: input,
    ok: error === undefined,
    reply: n,
    ...(error === undefined ? { obs: output } : { error }),
  }));
  return document({
    id,
    agent_id: 'ada',
    task,
    project: 'shop',
    harness: 'an-agent 2.0.1',
    model: 'a-model',
    started_at: at(0),
    ended_at: at(90),
    turns: steps.length + 1,
    tool_calls,
    end: ends[end],
    ...(end === 'api-error' ? { error: API_ERROR } : {}),
  });
}

/** When files without times were written. */
export const recordedNow = () => ({ recordedAt: at(0) });
