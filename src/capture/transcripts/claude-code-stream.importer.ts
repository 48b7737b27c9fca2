import { isDeepStrictEqual } from 'node:util';
import { OpenSessions, sessionIdOf } from '../importers/claude-code.importer.js';
import type { ClaudeCodeSession } from '../importers/claude-code-session.js';
import { TranscriptRecord } from '../importers/claude-code-transcript.schema.js';
import { type FileReader, readSessions } from '../importers/file-sessions.js';
import type { ForeignEnd } from '../importers/foreign-end.js';
import { ImportTally } from '../importers/import-tally.js';
import {
  type DerivedExecution,
  type ImportContext,
  streamingImporter,
  type TranscriptImporter,
} from '../importers/importer.js';
import { type Fields, textAt } from '../importers/json-fields.js';
import { type ProductSession, statedStatus } from '../importers/product-session.js';
import { denialsIn, nonExecutionIn, StreamMessage } from './claude-code-stream.schema.js';

const FORMAT = 'claude-code-stream';
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
export const claudeCodeStreamImporter: TranscriptImporter = streamingImporter({
  format: FORMAT,
  byLine: true,
  recognises: (record) => 'session_id' in record && TYPES.has(record['type']) && MARKS.some((mark) => mark in record),
  *stream(lines: Iterable<string>, context: ImportContext = {}) {
    const tally = new ImportTally();
    const sessionOf = (record: Fields) =>
      TYPES.has(record['type']) ? sessionIdOf(textAt(record, 'session_id'), context) : undefined;
    const reading = yield* readSessions(
      lines,
      { context, tally, sessionOf },
      (ofSession) => new StreamReading(ofSession, tally),
    );
    return yield* reading.sessions.closeAll();
  },
});

class StreamReading implements FileReader {
  readonly sessions: OpenSessions;
  /** By session, its first line; that of the file stands for a session without one. */
  readonly #starts = new Map<string, StreamMessage>();
  #start: StreamMessage | undefined;

  constructor(
    private readonly context: ImportContext,
    private readonly tally: ImportTally,
  ) {
    this.sessions = new OpenSessions(FORMAT, context, tally);
  }

  add(value: unknown): void {
    const { data } = StreamMessage.safeParse(value);
    if (data === undefined || !TYPES.has(data.type)) this.tally.badLines += 1;
    else if (data.type === 'system' && data.subtype === 'init') this.#addStart(data);
    else this.#addMessage(data);
  }

  addHole(): void {
    this.sessions.addHole();
  }

  /** The executions of a session that ended. */
  *close(sessionId: string): Generator<DerivedExecution> {
    const start = this.#startOf(sessionId);
    for (const session of this.sessions.groupOf(sessionId)) addStart(session, start);
    this.#starts.delete(sessionId);
    yield* this.sessions.close(sessionId);
  }

  #addStart(message: StreamMessage): void {
    const id = sessionIdOf(message.session_id, this.context);
    this.#start ??= message;
    if (!this.#starts.has(id)) this.#starts.set(id, message);
  }

  #startOf(sessionId: string): StreamMessage | undefined {
    return this.#starts.get(sessionId) ?? this.#start;
  }

  #addMessage(message: StreamMessage): void {
    const id = sessionIdOf(message.session_id, this.context);
    if (message.type === 'result') {
      const session = this.sessions.find(id);
      if (session !== undefined) addResult(session.session, message);
      return;
    }
    if (message.type !== 'assistant' && message.type !== 'user') return;
    const timestamp = message.timestamp ?? this.context.recordedAt;
    const record = recordOf(message, this.#startOf(id));
    if (timestamp === undefined) this.tally.skip('no timestamp');
    else this.sessions.of(record).add({ ...record, timestamp, isUndated: message.timestamp === undefined });
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

/** What the first line says, also if no answer names the model. Only the session itself is offered skills. */
function addStart({ session, agentId }: ClaudeCodeSession, start: StreamMessage | undefined): void {
  session.model ??= start?.model;
  const at = session.startedAt;
  if (agentId === undefined && at !== undefined)
    for (const name of start?.skills ?? []) session.skills.add(name, 'offered', at);
}

function addResult(session: ProductSession, message: StreamMessage): void {
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
  if (subtype === 'error_max_turns') return { kind: 'max_turns' };
  if (isError !== true) return undefined;
  if (subtype !== 'success') return { kind: 'stopped', reason: subtype ?? 'error' };
  const status = message.api_error_status ?? statedStatus(message.result ?? '');
  return { kind: 'api_error', status, type: message.api_error_type ?? '' };
}
