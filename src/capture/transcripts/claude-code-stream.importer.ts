import { isDeepStrictEqual } from 'node:util';
import { optional } from '../../platform/base/optional.js';
import { CLAUDE_CODE } from '../importers/claude-code.importer.js';
import { ClaudeCodeSessions } from '../importers/claude-code-session.js';
import { TranscriptRecord } from '../importers/claude-code-transcript.schema.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { textAt } from '../importers/json-fields.js';
import { type ProductSession, sessionImporter, statedStatus } from '../importers/product-session.js';
import { denialsIn, nonExecutionIn, StreamMessage } from './claude-code-stream.schema.js';

const TYPES: ReadonlySet<unknown> = new Set([
  'system',
  'assistant',
  'user',
  'result',
  'stream_event',
  'rate_limit_event',
]);
/** One of these is in every message of Claude Code, and none in those of Cursor. */
const MARKS = ['uuid', 'parent_tool_use_id', 'slash_commands', 'output_style', 'num_turns'];

/**
 * Imports what `claude -p --output-format stream-json` prints: one report per session and per sub-agent. Its messages are
 * those of a transcript under other names; older versions write no times, so that of the file stands for them. The last
 * line alone, which `--output-format json` prints, describes no execution.
 */
export const claudeCodeStreamImporter = sessionImporter({
  product: { ...CLAUDE_CODE, format: 'claude-code-stream', harness: CLAUDE_CODE.format },
  byLine: true,
  recognises: (record) => 'session_id' in record && TYPES.has(record['type']) && MARKS.some((mark) => mark in record),
  record: StreamMessage,
  sessionOf: (record, _, { sessionHint = '' }) =>
    TYPES.has(record['type']) ? (textAt(record, 'session_id') ?? sessionHint) : undefined,
  begin: ({ sessionHint, recordedAt }) => new StreamReading(new ClaudeCodeSessions(sessionHint), recordedAt),
});

/** Reads the messages of one session. */
class StreamReading {
  #start: StreamMessage | undefined;

  constructor(
    private readonly all: ClaudeCodeSessions,
    private readonly recordedAt: string | undefined,
  ) {}

  get sessions(): ProductSession[] {
    return this.all.sessions;
  }

  add(message: StreamMessage): void {
    const { type, subtype, timestamp = this.recordedAt } = message;
    if (type === 'system' && subtype === 'init') this.#start ??= message;
    else if (type === 'result') addResult(this.sessions[0], message);
    else if (type === 'assistant' || type === 'user')
      this.all.add({
        ...recordOf(message, this.#start),
        ...optional('timestamp', timestamp),
        isUndated: message.timestamp === undefined,
      });
  }

  /** What the first line says, also if no answer names the model. Only the session itself is offered skills. */
  finish(): void {
    const { model, skills = [] } = this.#start ?? {};
    for (const session of this.sessions) {
      session.model ??= model;
      if (session.parent === undefined)
        for (const name of skills) session.skills.add(name, 'offered', session.startedAt ?? '');
    }
  }
}

/** The message as the transcript of the session has it. */
function recordOf(message: StreamMessage, start: StreamMessage | undefined): TranscriptRecord {
  return TranscriptRecord.parse({
    type: message.type,
    uuid: message.uuid,
    message: message.message,
    sessionId: message.session_id,
    isSidechain: message.parent_tool_use_id !== undefined,
    agentId: message.agent_id ?? message.parent_tool_use_id,
    cwd: start?.cwd,
    version: start?.claude_code_version,
    error: message.error,
    isApiErrorMessage: message.is_api_error_message,
    apiErrorStatus: message.api_error_status,
    apiErrorType: message.api_error_type,
    toolDenialKind: nonExecutionIn(message),
  });
}

function addResult(session: ProductSession | undefined, message: StreamMessage): void {
  if (session === undefined) return;
  session.end = endOf(message) ?? session.end;
  for (const { tool_use_id: id, tool_input: input } of denialsIn(message)) {
    // the same id can be that of other calls
    const failed = session.calls.filter((call) => call.id === id && call.result?.failed === true);
    const call = failed.find((one) => isDeepStrictEqual(one.input, input)) ?? failed.at(-1);
    if (call?.result !== undefined) call.result = { ...call.result, refused: true };
  }
}

/** A run that an API error ended has `subtype: "success"` too. Undefined if the messages decide. */
function endOf({ subtype, is_error: isError, ...message }: StreamMessage): ForeignEnd | undefined {
  if (subtype === 'error_max_turns') return 'max_turns';
  if (isError !== true) return undefined;
  if (subtype !== 'success') return { kind: 'stopped', reason: subtype ?? 'error' };
  const status = message.api_error_status ?? statedStatus(message.result ?? '');
  return { kind: 'api_error', status, type: message.api_error_type ?? '' };
}
