import { ClaudeCodeSession, type DatedRecord } from './claude-code-session.js';
import { TranscriptRecord } from './claude-code-transcript.schema.js';
import { type FileReader, readSessions } from './file-sessions.js';
import { clipId } from './foreign-report.js';
import { HOLE, ImportTally } from './import-tally.js';
import {
  type DerivedExecution,
  type ImportContext,
  type ReadCounts,
  type SeenCalls,
  streamingImporter,
  type TranscriptImporter,
} from './importer.js';
import { type Fields, textAt } from './json-fields.js';
import { type Product, reportOfSession } from './product-session.js';

const CLAUDE_CODE = 'claude-code';
const COUNTED_ATTACHMENTS: ReadonlySet<string> = new Set(['max_turns_reached', 'skill_listing']);

/** Types of records that belong to a session. */
const TURN_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'attachment']);

export { agentNameFor } from '../report/agent-name.js';

/** Sessions whose records are not read to the end, each with its sub-agents. */
export class OpenSessions implements FileReader {
  readonly #groups = new Map<string, Map<string, ClaudeCodeSession>>();
  readonly #product: Product;
  /** The calls of every session read so far. */
  readonly #seen: SeenCalls;
  #isEmpty = true;

  constructor(
    format: string,
    private readonly context: ImportContext,
    private readonly tally: ImportTally,
  ) {
    this.#product = { format, title: 'Claude Code', harness: CLAUDE_CODE, needsReply: true };
    this.#seen = context.seenToolUses ?? new Map();
  }

  add(value: unknown): void {
    const record = readRecord(value, this.tally);
    if (record === HOLE) this.addHole();
    else if (record !== undefined) this.of(record).add(record);
  }

  /** The session of the record, or that of its sub-agent. */
  of(record: TranscriptRecord): ClaudeCodeSession {
    const sessionId = sessionIdOf(record.sessionId, this.context);
    const agentId = record.isSidechain === true ? clipId(record.agentId ?? 'sub-agent') : undefined;
    const group = this.#groups.get(sessionId) ?? new Map<string, ClaudeCodeSession>();
    const session = group.get(agentId ?? '') ?? new ClaudeCodeSession(sessionId, agentId, this.#seen);
    this.#isEmpty = false;
    this.#groups.set(sessionId, group.set(agentId ?? '', session));
    return session;
  }

  /** Records were lost, of any session. */
  addHole(): void {
    for (const group of this.#groups.values()) for (const { session } of group.values()) session.addHole();
  }

  /** The session itself, without its sub-agents; of a session that is unknown, the first one that is open. */
  find(sessionId: string): ClaudeCodeSession | undefined {
    const [first] = this.#groups.values();
    return this.#groups.get(sessionId)?.get('') ?? [...(first?.values() ?? [])][0];
  }

  /** A session with its sub-agents. */
  groupOf(sessionId: string): ClaudeCodeSession[] {
    return [...(this.#groups.get(sessionId)?.values() ?? [])];
  }

  /**
   * Yields the executions of a session that ended and of its sub-agents, and forgets them. The session comes first,
   * because its execution id is the parent id of its sub-agents: older versions wrote all of them into one file.
   */
  *close(sessionId: string): Generator<DerivedExecution> {
    const group = this.groupOf(sessionId);
    this.#groups.delete(sessionId);
    let parent: string | undefined;
    const sorted = group.sort((a, b) => Number(a.agentId !== undefined) - Number(b.agentId !== undefined));
    for (const { session, agentId } of sorted) {
      const ofParent = this.context.parentExecutionId ?? parent;
      const context = ofParent === undefined ? this.context : { ...this.context, parentExecutionId: ofParent };
      const report = reportOfSession(this.#product, session, context, this.tally);
      if (report === undefined) continue;
      if (agentId === undefined) parent = report.executionId;
      yield { report, skillUses: session.skills.of(report) };
    }
  }

  /** Closes the sessions that are left, at the end of a file. */
  *closeAll(): Generator<DerivedExecution, ReadCounts> {
    for (const id of [...this.#groups.keys()]) yield* this.close(id);
    if (this.#isEmpty) this.tally.omit('no turns');
    return { counts: this.tally.counts(), omitted: this.tally.omitted() };
  }
}

export const sessionIdOf = (id: string | undefined, { sessionHint }: ImportContext): string =>
  clipId(id ?? sessionHint ?? 'unnamed');

/**
 * Imports Claude Code transcripts: one report per session and per sub-agent. Conversation, prompts, file contents and
 * the output of successful calls stay on the machine; the task leaves it as a hash. The same lines give the same
 * report; a file that has grown gives a new execution of the same session.
 */
export const claudeCodeImporter: TranscriptImporter = streamingImporter({
  format: CLAUDE_CODE,
  byLine: true,
  recognises: (record) => 'sessionId' in record && 'type' in record,
  *stream(lines: Iterable<string>, context: ImportContext = {}) {
    const tally = new ImportTally();
    const sessionOf = (record: Fields) =>
      TURN_TYPES.has(record['type']) ? sessionIdOf(textAt(record, 'sessionId'), context) : undefined;
    const open = yield* readSessions(
      lines,
      { context, tally, sessionOf },
      (ofSession) => new OpenSessions(CLAUDE_CODE, ofSession, tally),
    );
    return yield* open.closeAll();
  },
});

/** Undefined for what is no turn; a hole for a turn whose time cannot be read. */
function readRecord(value: unknown, tally: ImportTally): DatedRecord | typeof HOLE | undefined {
  const parsed = TranscriptRecord.safeParse(value);
  if (!parsed.success) {
    tally.badLines += 1;
    return undefined;
  }
  const record = parsed.data;
  const isTurn = record.type === 'user' || record.type === 'assistant';
  if (!isTurn && !COUNTED_ATTACHMENTS.has(record.attachment?.type ?? '')) tally.skip('not a turn');
  else if (record.timestamp === undefined) {
    tally.skip('no timestamp');
    return HOLE;
  } else return { ...record, timestamp: record.timestamp };
  return undefined;
}
