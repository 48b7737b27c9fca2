import { ClaudeCodeSessions } from './claude-code-session.js';
import { TranscriptRecord } from './claude-code-transcript.schema.js';
import { textAt } from './json-fields.js';
import { type Product, sessionImporter } from './product-session.js';

export const CLAUDE_CODE: Product = { format: 'claude-code', title: 'Claude Code', needsReply: true };
/** Types of records that belong to a session. */
const TURN_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'attachment']);

export { agentNameFor } from '../report/agent-name.js';

/**
 * Imports Claude Code transcripts: one report per session and per sub-agent. Conversation, prompts, file contents and
 * the output of successful calls stay on the machine; the task leaves it as a hash. The same lines give the same
 * report; a file that has grown gives a new execution of the same session.
 */
export const claudeCodeImporter = sessionImporter({
  product: CLAUDE_CODE,
  byLine: true,
  recognises: (record) => 'sessionId' in record && 'type' in record,
  record: TranscriptRecord,
  sessionOf: (record, _, { sessionHint = '' }) =>
    TURN_TYPES.has(record['type']) ? (textAt(record, 'sessionId') ?? sessionHint) : undefined,
  begin: ({ sessionHint }) => new ClaudeCodeSessions(sessionHint),
});
