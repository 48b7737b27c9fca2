import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { contentText, type Fields, isFields } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { readExitCode } from '../transcripts/marked-exit.js';
import { V1Event, V1State, V1Stats } from './openhands-v1.schema.js';
import { folderOf, instantOf, isListStart, nameInstance } from './run-identity.js';

/** What the model says about a call, which the tool is not given; the defaults of an action. */
const NO_ARGUMENT = /^(?:kind|summary|security_risk)$/;
const INTERRUPTED = /^(?:PauseEvent|InterruptEvent)$/;

const EVENT_KIND = /^(?:\w{1,40}Event|UserRejectObservation|Condensation|CondensationRequest)$/;

/**
 * Imports conversations of OpenHands from its version 1: one event a line, as a list, or alone in a file, and the state
 * of the conversation (`base_state.json`) as one more record among them.
 */
export const openHandsV1Importer = sessionImporter({
  product: { format: 'openhands-v1', title: 'OpenHands', harness: 'openhands' },
  recognises: (record) =>
    ('source' in record && EVENT_KIND.test(String(record['kind']))) ||
    ('agent' in record && 'workspace' in record && 'execution_status' in record),
  record: z.unknown(),
  isDocument: isListStart,
  begin(context) {
    const session = new ProductSession();
    const actions = new Map<string, string>();
    let final: ForeignEnd | undefined;
    let first: string | undefined;
    const add = (value: unknown): boolean => {
      const event = V1Event.safeParse(value);
      const state = V1State.safeParse(value);
      first ??= event.data?.id;
      if (event.success) addV1Event(session, event.data, actions);
      else if (state.success) {
        addV1State(session, state.data);
        final = endOfStatus(state.data.execution_status);
      }
      return event.success || state.success;
    };
    return {
      sessions: [session],
      add: (value) => (Array.isArray(value) ? value.map(add).every(Boolean) : add(value)),
      finish() {
        // the state is written after the last event
        if (session.end === 'unfinished' && final !== undefined) session.end = final;
        const name = session.id ?? context.sessionHint;
        // without its state, a conversation has no name but that of its file, which others have too
        if (session.id === undefined && first !== undefined) session.id = `${name ?? 'unnamed'}-${first}`;
        nameInstance(session, name);
        if (name !== undefined) session.taskNames.push(name);
      },
    };
  },
});

function addV1State(session: ProductSession, { id, agent, workspace }: V1State): void {
  session.id ??= id;
  session.model ??= agent.llm?.model;
  session.cwd ??= folderOf(workspace?.working_dir);
}

/**
 * Adds one event to the session. Events that say nothing about the work do not end or widen it. `actions`: by the id that
 * the model gave a call, the id of its action, under which the session has the call.
 */
function addV1Event(session: ProductSession, event: V1Event, actions: Map<string, string>): void {
  const at = instantOf(event.timestamp);
  const { kind } = event;
  if (kind === 'ConversationStateUpdateEvent') {
    addUpdate(session, event);
    return;
  }
  session.widen(at);
  session.lastId = event.id ?? session.lastId;
  if (kind === 'MessageEvent') addMessage(session, event, at ?? '');
  else if (kind === 'ActionEvent') addAction(session, event, at ?? '', actions);
  else if (kind === 'ACPToolCallEvent') addAcpCall(session, event, at ?? '');
  else if (kind === 'ConversationErrorEvent') addError(session, event);
  else if (INTERRUPTED.test(kind)) session.end = 'interrupted';
  else {
    const call = event.action_id ?? actions.get(event.tool_call_id ?? '');
    if (call !== undefined) session.finishCall(call, resultOf(event), at ?? '');
    session.cwd ??= folderOf(event.observation?.metadata?.working_dir);
  }
}

function addUpdate(session: ProductSession, { key, value }: V1Event): void {
  const stats = V1Stats.safeParse(key === 'stats' ? value : isFields(value) ? value['stats'] : undefined);
  const usage = Object.entries(stats.data?.usage_to_metrics ?? {});
  const main = usage.find(([name]) => name !== 'condenser')?.[1].model_name;
  session.model ??= main;
  const state = V1State.safeParse(key === 'full_state' ? value : undefined);
  if (state.success) addV1State(session, state.data);
  if (key === 'execution_status' && typeof value === 'string') {
    const end = endOfStatus(value);
    // an error event says more than the status after it
    if (end !== undefined && !(value === 'error' && session.end !== 'unfinished')) session.end = end;
  }
}

function addMessage(session: ProductSession, event: V1Event, at: string): void {
  const text = contentText(event.llm_message?.content);
  if (event.source === 'user') session.addPrompt(text);
  else if (event.source === 'agent') {
    session.replies.add(event.llm_response_id ?? event.id ?? at);
    session.end = 'ended';
  }
  for (const skill of event.activated_skills ?? []) session.skills.add(skill, 'loaded', at);
}

function addAction(session: ProductSession, event: V1Event, at: string, actions: Map<string, string>): void {
  const { tool_name: name = 'unnamed', llm_response_id: reply, id = event.tool_call_id } = event;
  if (reply !== undefined) session.replies.add(reply);
  session.end = name === 'finish' ? 'ended' : 'unfinished';
  // what ends the work is no call
  if (name === 'finish' || id === undefined) return;
  if (event.tool_call_id !== undefined) actions.set(event.tool_call_id, id);
  session.addCall(id, { name, input: inputOf(event), at, reply: reply ?? id }, at);
}

/** The arguments as the model wrote them; without readable ones, those of the action, but for its defaults. */
function inputOf({ tool_call, action = {} }: V1Event): Fields {
  const given = tool_call?.arguments;
  const parsed = typeof given === 'string' ? parseJson(given) : given;
  const entries = Object.entries(isFields(parsed) ? parsed : action);
  return Object.fromEntries(entries.filter(([key, value]) => !NO_ARGUMENT.test(key) && value !== null));
}

/** An exit code decides; −1 is that of a command that still runs. */
function resultOf({ kind, observation, error, rejection_reason: rejection }: V1Event): CallResult | undefined {
  if (kind === 'UserRejectObservation') return { failed: true, refused: true, text: rejection ?? '' };
  if (kind === 'AgentErrorEvent') return { failed: true, text: error ?? '' };
  if (kind !== 'ObservationEvent' || observation === undefined) return undefined;
  const text = contentText(observation.content);
  if (observation.is_error === true) return { failed: true, text };
  const code = observation.exit_code ?? observation.metadata?.exit_code;
  if (code === -1 || observation.timeout === true) return undefined;
  if (code !== undefined) return readExitCode(code, text);
  return observation.is_error === false ? { failed: false, text } : undefined;
}

/** A call of an agent behind the Agent Client Protocol, repeated with each change of its status. */
function addAcpCall(session: ProductSession, event: V1Event, at: string): void {
  const { tool_call_id: id, tool_kind: kind, title, raw_input: input, status, is_error: isError } = event;
  if (id === undefined) return;
  const isCommand = isFields(input) && typeof input['command'] === 'string';
  session.end = 'unfinished';
  const call = session.openCall(id, {
    name: isCommand ? 'bash' : (kind ?? title ?? 'unnamed'),
    input: input ?? {},
    at,
  });
  if (status !== 'completed' && status !== 'failed') return;
  const text = contentText(event.raw_output);
  const failed = isError === true || status === 'failed';
  const read = isShellTool(isCommand ? 'bash' : '') ? readUnmarked('bash', text) : { failed: false, text };
  session.finish(call, failed ? { failed, text } : read, at);
}

function addError(session: ProductSession, { code = '', detail }: V1Event): void {
  session.errorMessage = detail;
  if (/^MaxIterations|Budget/.test(code)) session.end = { kind: 'limit', reason: code };
  else if (/^LLM|APIError|RateLimit|Authentication|Timeout|Connection|ServiceUnavailable/.test(code))
    session.end = { kind: 'api_error', status: undefined, type: code };
  else session.end = { kind: 'stopped', reason: code };
}

/** Undefined for a conversation that goes on, or that no run has begun. */
function endOfStatus(status: string | undefined): ForeignEnd | undefined {
  if (status === 'finished') return 'ended';
  if (status === 'paused') return 'interrupted';
  return status === 'error' || status === 'stuck' ? { kind: 'stopped', reason: status } : undefined;
}
