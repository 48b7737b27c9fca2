import { contentText } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { commandInShell } from '../importers/task-sources.js';
import { StreamEvent, type StreamItem } from './codex-stream.schema.js';
import { readExitCode } from './marked-exit.js';

const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const EVENT_TYPE = /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;

/**
 * Imports what `codex exec --json` prints: one report per file, which is one run. It names neither times, prompt, model
 * nor folder: the id of its thread says when that began, and the time of the file when it ended. As for every
 * transcript, conversation and outputs stay on the machine.
 */
export const codexStreamImporter = sessionImporter({
  product: { format: 'codex-stream', title: 'Codex', harness: 'codex', isWithoutIds: true },
  byLine: true,
  recognises: (record) => EVENT_TYPE.test(String(record['type'])) && !('payload' in record),
  record: StreamEvent,
  begin({ recordedAt }) {
    // every run begins with the same ids of items
    const session = new ProductSession();
    return {
      sessions: [session],
      add: (event) => isKnown(event) && addEvent(session, event, recordedAt ?? ''),
      finish() {
        session.widen(recordedAt);
        session.widen(timeOfThread(session.id, recordedAt));
      },
    };
  },
});

const isKnown = ({ type }: StreamEvent): boolean => EVENT_TYPE.test(type) || type === 'error';

function addEvent(session: ProductSession, { type, thread_id, item, error, message }: StreamEvent, at: string): void {
  session.id ??= thread_id;
  switch (type) {
    case 'turn.started':
      session.end = 'unfinished';
      return;
    case 'item.started':
    case 'item.completed':
      if (item !== undefined) addItem(session, item, type === 'item.completed', at);
      return;
    case 'turn.completed':
      session.errorMessage = undefined;
      session.end = 'ended';
      return;
    // one that a further event follows was only a notice
    case 'error':
    case 'turn.failed':
      session.fail(error?.message ?? message);
      return;
  }
}

function addItem(session: ProductSession, item: StreamItem, isComplete: boolean, at: string): void {
  if (item.type === 'error') return;
  session.errorMessage = undefined;
  session.end = 'unfinished';
  if (item.type === 'agent_message') session.hasAnswer = true;
  const call = callOf(item);
  if (item.id === undefined || call === undefined) return;
  const known = session.openCall(item.id, { ...call, at });
  if (isComplete) session.finish(known, { ...resultOf(item), durationMs: -1 }, at);
}

/** The call with the names that a rollout has; undefined for what is no call. */
function callOf(item: StreamItem): { name: string; input: unknown } | undefined {
  const { tool = 'unnamed' } = item;
  switch (item.type) {
    case 'command_execution':
      return { name: 'exec_command', input: { cmd: commandInShell(item.command ?? '') } };
    case 'file_change':
      return { name: 'apply_patch', input: { changes: item.changes ?? [] } };
    case 'mcp_tool_call':
      return { name: item.server === undefined ? tool : `mcp__${item.server}__${tool}`, input: item.arguments };
    case 'collab_tool_call':
      return { name: tool, input: { prompt: item.prompt ?? '' } };
    case 'web_search':
      return { name: 'web_search', input: { query: item.query ?? '' } };
    default:
      return undefined;
  }
}

/** The exit code decides; without one, the status. */
function resultOf({ status, exit_code: code, aggregated_output: output, error, result }: StreamItem): CallResult {
  if (code !== undefined) return readExitCode(code, output ?? '');
  const failed = status === 'failed' || status === 'declined' || error !== undefined;
  const text = error?.message ?? output ?? contentText(result?.content);
  return { failed, text, ...(status === 'declined' ? { refused: true } : {}) };
}

/**
 * When a thread with such an id began, which the first 48 bits of a UUID of version 7 say in milliseconds since 1970 (RFC
 * 9562). Undefined for another id, and for a time after `before` (ISO 8601), which is no time of this thread.
 */
export function timeOfThread(id: string | undefined, before: string | undefined): string | undefined {
  const [, high, low] = UUID_7.exec(id ?? '') ?? [];
  if (high === undefined || low === undefined) return undefined;
  const time = Number.parseInt(high + low, 16);
  const end = Date.parse(before ?? '');
  return time <= 8.64e15 && (Number.isNaN(end) || time <= end) ? new Date(time).toISOString() : undefined;
}
