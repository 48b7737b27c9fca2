import { parseJson } from '../../platform/base/parse-json.js';
import { asFields, contentText, type Fields, fieldsAt, isFields, messageAt, textAt } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { CursorEvent, type CursorTool, toolIn } from './cursor-stream.schema.js';
import { readExitCode } from './marked-exit.js';

const TYPES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'thinking', 'tool_call', 'result']);

/**
 * Imports what `cursor-agent -p --output-format stream-json` prints, after https://cursor.com/docs/cli/reference/output-format
 * and the events that docs/stream-json-events.md of reifying/cursor-hack records: one report per file. Lines without a
 * time have that of the file. As for every transcript, conversation and outputs stay on the machine.
 */
export const cursorStreamImporter = sessionImporter({
  product: { format: 'cursor-stream', title: 'Cursor', harness: 'cursor', isWithoutIds: true },
  byLine: true,
  recognises: (record) =>
    'session_id' in record && TYPES.has(record['type']) && (isStart(record) || isFields(record['tool_call'])),
  record: CursorEvent,
  begin({ recordedAt }) {
    // a run that continues a chat can use the same ids of calls
    const session = new ProductSession();
    return {
      sessions: [session],
      add: (event) => TYPES.has(event.type) && addEvent(session, event, timeOf(event) ?? recordedAt ?? ''),
      finish: () => session.widen(recordedAt),
    };
  },
});

const isStart = (record: Fields): boolean => record['subtype'] === 'init' && 'permissionMode' in record;

const timeOf = ({ timestamp_ms: at }: CursorEvent): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

function addEvent(session: ProductSession, event: CursorEvent, at: string): void {
  session.id ??= event.session_id;
  session.widen(timeOf(event));
  switch (event.type) {
    case 'system':
      session.cwd ??= event.cwd;
      session.model ??= event.model;
      return;
    case 'user':
      session.addPrompt(contentText(event.message?.content));
      return;
    case 'assistant':
      session.hasAnswer = true;
      return;
    case 'tool_call':
      addCall(session, event, at);
      return;
    case 'result':
      addResult(session, event);
      return;
  }
}

function addCall(session: ProductSession, event: CursorEvent, at: string): void {
  const called = toolIn(event);
  session.end = 'unfinished';
  if (event.call_id === undefined || called === undefined) return;
  const { call_id: id, model_call_id: reply } = event;
  const add = event.subtype === 'started' ? 'addCall' : 'openCall';
  const call = session[add](id, { ...callOf(called), at, reply });
  if (event.subtype !== 'completed') return;
  // without a time of its own, the event says nothing about the duration
  const durationMs = event.timestamp_ms === undefined ? -1 : undefined;
  session.finish(call, { ...resultOf(called), durationMs }, at);
}

function callOf({ tool, args, arguments: given }: CursorTool & { readonly tool: string }) {
  if (given !== undefined) return { name: tool, input: parseJson(given) ?? given };
  const fields = asFields(args);
  // beside the command stand its parsed parts
  if (tool === 'shell') return { name: tool, input: { command: fields['command'] } };
  if (tool !== 'mcp') return { name: tool, input: args };
  const server = textAt(fields, 'serverIdentifier', 'providerIdentifier') ?? 'unnamed';
  return { name: `mcp__${server}__${textAt(fields, 'toolName', 'name') ?? 'unnamed'}`, input: fields['args'] };
}

/** The exit code decides; without one, whether the answer is a success. */
function resultOf({ result = {} }: CursorTool): CallResult {
  const success = fieldsAt(result, 'success');
  const failure = Object.entries(result).find(([kind, answer]) => kind !== 'success' && isFields(answer));
  const [kind, answer] = failure ?? ['', success];
  const fields = asFields(answer);
  const code = fields['exitCode'];
  const printed = [textAt(fields, 'stdout', 'output') ?? '', textAt(fields, 'stderr') ?? ''].filter(
    (text) => text !== '',
  );
  if (typeof code === 'number' && Number.isInteger(code) && (code !== 0 || failure === undefined))
    return readExitCode(code, printed.join('\n'));
  const text = messageAt(fields, 'error') ?? textAt(fields, 'errorMessage', 'message', 'reason') ?? printed.join('\n');
  const refused = kind === 'rejected' || kind === 'permissionDenied';
  return { failed: failure !== undefined, text, ...(refused ? { refused } : {}) };
}

function addResult(session: ProductSession, { is_error: isError, result = '' }: CursorEvent): void {
  if (isError === true) session.fail(result);
  else session.end = 'ended';
}
