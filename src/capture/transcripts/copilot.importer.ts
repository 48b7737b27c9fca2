import { parseJson } from '../../platform/base/parse-json.js';
import { isFields } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { type CopilotData, CopilotEvent, requestsIn } from './copilot-events.schema.js';
import { readCopilotShell } from './marked-exit.js';

const EVENT_TYPE = /^(?:session|user|assistant|tool|hook|system|permission|subagent|skill)\.[a-z_]+$/;
/** The last event of a session that tells more about it than that a hook or a process ran. */
const TURN_EVENT = /^(?:user\.|assistant\.message$|tool\.|session\.error$|abort$)/;

/**
 * Imports the event files of Copilot CLI (`events.jsonl`): one report per file. As for every transcript, conversation and
 * outputs stay on the machine.
 */
export const copilotImporter = sessionImporter({
  product: { format: 'copilot', title: 'Copilot CLI' },
  byLine: true,
  recognises: (record) => 'data' in record && EVENT_TYPE.test(String(record['type'])),
  record: CopilotEvent,
  begin() {
    const session = new ProductSession();
    const replies = new Map<string, string>();
    return { sessions: [session], add: (event) => addEvent(session, event, replies) };
  },
});

/** `replies`: by the id of a call, the message that asked for it. */
function addEvent(session: ProductSession, { type, id, timestamp, data }: CopilotEvent, replies: Map<string, string>) {
  if (TURN_EVENT.test(type)) {
    session.widen(timestamp);
    session.lastId = id ?? session.lastId;
  }
  switch (type) {
    case 'session.start':
    case 'session.resume':
      addStart(session, data);
      session.widen(timestamp);
      return;
    case 'user.message':
      session.addPrompt(data.content ?? '');
      return;
    case 'assistant.message':
      addReply(session, data, id ?? timestamp, replies);
      return;
    case 'tool.execution_start':
      addCall(session, data, { id, at: timestamp, reply: replies.get(data.toolCallId ?? '') });
      return;
    case 'tool.execution_complete':
      if (data.toolCallId !== undefined) session.finishCall(data.toolCallId, resultOf(data), timestamp);
      return;
    case 'skill.invoked':
      session.skills.add(data.name, 'loaded', timestamp);
      return;
    case 'session.error':
      session.fail(data.message, data.statusCode, data.errorType);
      return;
    case 'abort':
      session.end = 'interrupted';
      return;
  }
}

function addStart(session: ProductSession, data: CopilotData): void {
  session.id ??= data.sessionId;
  session.cwd ??= data.context?.cwd;
  session.repository ??= data.context?.repository;
  session.version = data.copilotVersion ?? session.version;
  session.model ??= data.selectedModel;
}

function addReply(session: ProductSession, data: CopilotData, event: string, replies: Map<string, string>): void {
  const reply = data.messageId ?? event;
  const requests = requestsIn(data);
  session.replies.add(reply);
  session.model = data.model ?? session.model;
  for (const call of requests) replies.set(call, reply);
  session.end = requests.length > 0 ? 'unfinished' : 'ended';
}

function addCall(
  session: ProductSession,
  { toolCallId, toolName: name = 'unnamed', arguments: given }: CopilotData,
  { id, at, reply }: { id: string | undefined; at: string; reply: string | undefined },
): void {
  if (toolCallId === undefined) return;
  const input = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  session.addCall(toolCallId, { name, input, at, reply }, ...(id === undefined ? [] : [id]), [at, name, given]);
  if (name === 'skill' && isFields(input)) session.skills.add(input['skill'], 'loaded', at);
}

/** The exit code decides; without one, whether the tool succeeded. */
function resultOf({ success, shellExecution, result, error }: CopilotData): CallResult {
  if (success === false || error !== undefined)
    return {
      failed: true,
      text: error?.message ?? result?.content ?? '',
      ...(error?.code === 'denied' || error?.code === 'rejected' ? { refused: true } : {}),
    };
  return readCopilotShell(result?.content ?? '', shellExecution?.exitCode);
}
