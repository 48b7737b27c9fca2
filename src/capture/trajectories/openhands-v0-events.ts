import { parseJson } from '../../platform/base/parse-json.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { type Fields, isFields } from '../importers/json-fields.js';
import type { CallResult, ProductSession } from '../importers/product-session.js';
import { readExitCode } from '../transcripts/marked-exit.js';
import { type V0Event, V0ToolCall } from './openhands-v0.schema.js';
import { folderOf, instantOf } from './run-identity.js';
import { readToolAnswer } from './tool-answer.js';

/** What the agent, the user and the harness do besides calling a tool. */
const NO_CALL =
  /^(?:message|system|finish|reject|recall|null|start|pause|resume|stop|loadout|change_agent_state|agent_state_changed|condensation(?:_request)?|push|send_pr|add_task|modify_task|summarize)$/;
/** Actions by the tool that a model without calls of tools is given for them. */
const TOOLS: Readonly<Record<string, string>> = {
  run: 'execute_bash',
  run_ipython: 'execute_ipython_cell',
  read: 'str_replace_editor',
  write: 'str_replace_editor',
  edit: 'str_replace_editor',
  browse: 'browser',
  browse_interactive: 'browser',
};
/** Arguments that the harness adds, and thoughts of the model. */
const NO_ARGUMENT =
  /^(?:thought|impl_source|translated_ipython_code|blocking|hidden|confirmation_state|security_risk|is_confirmed|kernel_init_code|include_extra|keep_prompt|static|cwd)$/;
const JUPYTER_LINES = /(?:\n\[Jupyter [^\n]{0,500}\]){1,4}\s{0,5}$/;
const REJECTED = /^\s{0,20}(?:Action has been rejected by the user|The action has not been executed|\[?User rejected)/i;
const MAX_ITERATIONS = /maximum (?:iteration|budget)|max iterations|budget/i;

/** Adds one event to a session, whose calls it names by `prefix` and the id of their actions. */
export function addV0Event(
  session: ProductSession,
  event: V0Event,
  { prefix, n }: { prefix: string; n: number },
): void {
  const at = instantOf(event.timestamp);
  session.widen(at);
  const model = event.tool_call_metadata?.model_response?.model;
  session.model ??= model;
  session.cwd ??= folderOf(event.extras?.metadata?.working_dir);
  if (event.action !== undefined) addAction(session, event, { key: `${prefix} ${event.id ?? n}`, at: at ?? '' });
  else if (event.observation !== undefined) addObservation(session, event, { prefix, at: at ?? '' });
}

interface At {
  readonly key: string;
  readonly at: string;
}

function addAction(session: ProductSession, event: V0Event, { key, at }: At): void {
  const { action = '', source, args } = event;
  const isAgents = source === 'agent' || source === undefined;
  if (action === 'message' && !isAgents) session.addPrompt(textOf(args?.['content']) ?? event.message ?? '');
  if (action === 'change_agent_state') return;
  if (!isAgents) return;
  const reply = event.tool_call_metadata?.model_response?.id ?? key;
  if (action !== 'system' && action !== 'recall') session.replies.add(reply);
  if (action === 'finish' || action === 'message') session.end = 'ended';
  else if (action === 'reject') session.end = { kind: 'stopped', reason: 'rejected' };
  if (NO_CALL.test(action)) return;
  session.addCall(key, { ...callOf(event), at, reply }, ...(event.id === undefined ? [] : [event.id]));
  session.end = 'unfinished';
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The call as the model made it, or as the harness understood it. */
function callOf({ action = '', args = {}, tool_call_metadata: metadata }: V0Event): { name: string; input: unknown } {
  const called = metadata?.model_response?.choices?.[0]?.message?.tool_calls ?? [];
  const asked = called
    .flatMap((one) => V0ToolCall.safeParse(one).data ?? [])
    .find(({ id }) => id !== undefined && id === metadata?.tool_call_id)?.function;
  const name =
    metadata?.function_name ??
    asked?.name ??
    TOOLS[action] ??
    (action === 'call_tool_mcp' ? textOf(args['name']) : action) ??
    action;
  const given = typeof asked?.arguments === 'string' ? parseJson(asked.arguments) : asked?.arguments;
  return { name, input: withoutHarness(isFields(given) ? given : inputOf(action, args)) };
}

function inputOf(action: string, args: Fields): Fields {
  if (action === 'call_tool_mcp' && isFields(args['arguments'])) return args['arguments'];
  return action === 'read' || action === 'write' ? { command: action === 'read' ? 'view' : 'create', ...args } : args;
}

const withoutHarness = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).filter(([key, value]) => !NO_ARGUMENT.test(key) && value !== null));

function addObservation(session: ProductSession, event: V0Event, { prefix, at }: { prefix: string; at: string }): void {
  const state = event.extras?.agent_state;
  if (event.observation === 'agent_state_changed') {
    session.end = endOf(state, event.extras?.reason) ?? session.end;
    if (state === 'error' && event.extras?.reason) session.errorMessage = event.extras.reason;
    return;
  }
  const call = event.cause === undefined ? undefined : session.callOf(`${prefix} ${event.cause}`);
  if (call === undefined) {
    if (event.observation === 'error') session.errorMessage = event.content;
    return;
  }
  session.finish(call, resultOf(call.name, event), at);
}

/** An exit code decides; −1 is that of a command that still runs. */
function resultOf(tool: string, event: V0Event): CallResult | undefined {
  const { content: said, observation, extras, success } = event;
  const content = said ?? '';
  const code = extras?.metadata?.exit_code ?? extras?.exit_code;
  if (observation === 'user_rejected' || REJECTED.test(content)) return { failed: true, refused: true, text: content };
  if (observation === 'error') return { failed: true, text: content };
  if (observation === 'run') {
    if (code === -1) return undefined;
    return code === undefined ? readToolAnswer(tool, content) : readExitCode(code, content);
  }
  const text = content.replace(JUPYTER_LINES, '');
  return success === false ? { failed: true, text } : readToolAnswer(tool, text);
}

function endOf(state: string | undefined, reason: string | undefined): ForeignEnd | undefined {
  switch (state) {
    case 'finished':
      return 'ended';
    case 'error':
      return v0Error(reason ?? '');
    case 'rejected':
      return { kind: 'stopped', reason: 'rejected' };
    case 'stopped':
    case 'paused':
    case 'user_rejected':
      return 'interrupted';
    default:
      return undefined;
  }
}

/** How a run ended that its harness stopped with a message. */
export function v0Error(message: string): ForeignEnd {
  const text = message.slice(0, 2_000);
  if (MAX_ITERATIONS.test(text))
    return { kind: 'limit', reason: /budget/i.test(text) ? 'max_budget' : 'max_iterations' };
  if (/stuck/i.test(text)) return { kind: 'stopped', reason: 'stuck' };
  const [, status] = /\b(?:status(?: code)?:? |Error code: |HTTP |API Error:? )(\d{3})\b/i.exec(text) ?? [];
  if (status === undefined && !/litellm|API|RateLimit|STATUS\$|LLM/.test(text))
    return { kind: 'stopped', reason: 'error' };
  const type = /\b([A-Z]\w{1,40}Error)\b/.exec(text)?.[1] ?? /STATUS\$(\w{1,40})/.exec(text)?.[1] ?? '';
  return { kind: 'api_error', status: status === undefined ? undefined : Number(status), type };
}
