import { blocksOf, type TranscriptBlock, type TranscriptRecord } from './claude-code-transcript.schema.js';
import { isBadStop } from './foreign-end.js';
import { clipId } from './foreign-report.js';
import { contentText, isFields, stated } from './json-fields.js';
import { ProductSession } from './product-session.js';

/** Texts that Claude Code writes in the user's name; none of them is the task. */
export const NOT_A_PROMPT =
  /^\s*(?:<(?:task-notification|command-|local-command|bash-|system-reminder|user-memory)|Caveat: The messages below|\[Request interrupted|This session is being continued)/;

/** Besides turns, the records that say something of a session. */
const ATTACHMENTS: ReadonlySet<string> = new Set(['max_turns_reached', 'skill_listing']);

/** `isUndated`: the time is that of the file. */
type NewRecord = TranscriptRecord & { isUndated?: boolean };
export type DatedRecord = NewRecord & { timestamp: string };

/** A session with its sub-agents: older versions wrote all of them into one file. */
export class ClaudeCodeSessions {
  readonly #sessions = new Map<string, ClaudeCodeSession>();

  constructor(private readonly hint = 'unnamed') {}

  /** A turn whose time cannot be read is lost. */
  add(record: NewRecord): void {
    const { type, attachment, timestamp, sessionId = this.hint, isSidechain, agentId = 'sub-agent' } = record;
    if (type !== 'user' && type !== 'assistant' && !ATTACHMENTS.has(attachment?.type ?? '')) return;
    if (timestamp === undefined) {
      for (const session of this.sessions) session.addHole();
      return;
    }
    const agent = isSidechain === true ? clipId(agentId) : '';
    const session = this.#sessions.get(agent) ?? new ClaudeCodeSession(sessionId, agent);
    this.#sessions.set(agent, session);
    session.add({ ...record, timestamp });
  }

  get sessions(): ProductSession[] {
    return [...this.#sessions.values()]
      .map(({ session }) => session)
      .sort((a, b) => Number(a.parent !== undefined) - Number(b.parent !== undefined));
  }
}

/** Reads the records of one session, or of one of its sub-agents. */
export class ClaudeCodeSession {
  readonly session = new ProductSession();
  private reply: { message?: string; request?: string | undefined; isAnswered: boolean; name: string } = {
    isAnswered: false,
    name: '',
  };
  /** By the id of a message, the number of replies that have it. */
  private readonly replyCounts = new Map<string, number>();
  /** The records with results since the last reply began. */
  private readonly answers = new Set<string>();

  /** `agent`: the id of a sub-agent; empty for the session itself. */
  constructor(sessionId: string, agent: string) {
    this.session.id = sessionId;
    this.session.part = agent;
    this.session.parent = agent === '' ? undefined : sessionId;
    this.session.end = 'ended';
  }

  add(record: DatedRecord): void {
    const { session } = this;
    if (record.attachment?.type === 'skill_listing') {
      for (const name of record.attachment.names ?? []) session.skills.add(name, 'offered', record.timestamp);
      return; // not a turn: does not start, end or name the execution
    }
    session.widen(record.timestamp);
    session.cwd ??= record.cwd;
    session.version = record.version ?? session.version;
    session.lastId = record.uuid ?? session.lastId;
    if (record.type === 'assistant') this.addAnswer(record);
    else if (record.type === 'user') this.addUser(record);
    else if (record.attachment?.type === 'max_turns_reached') session.end = 'max_turns';
  }

  private addAnswer(record: DatedRecord): void {
    const { session } = this;
    if (record.isApiErrorMessage === true) {
      const type = record.apiErrorType ?? record.error ?? '';
      session.end = { kind: 'api_error', status: record.apiErrorStatus, type };
      return;
    }
    const { model, id, stop_reason: stop } = record.message ?? {};
    if (model !== undefined && model !== '<synthetic>') session.model = model;
    const turn = id ?? record.uuid;
    const reply = turn === undefined ? undefined : this.replyOf(record, turn);
    if (reply !== undefined && model !== '<synthetic>') session.replies.add(reply);
    const toolUses = blocksOf(record).filter((block) => block.type === 'tool_use');
    for (const [n, block] of toolUses.entries()) this.addCall(block, record, { n, reply, turn });
    session.skills.add(record.attributionSkill, 'applied', record.timestamp);
    if (stop !== undefined && isBadStop(stop)) session.end = { kind: 'stopped', reason: stop };
    else session.end = toolUses.length > 0 ? 'unfinished' : 'ended';
  }

  /**
   * The reply that a record is a part of: one message of the API can be several records with one id. A gateway can give
   * every message the same id, so where the request does not tell, one that follows on results is another reply.
   */
  private replyOf({ requestId, parentUuid }: TranscriptRecord, message: string): string {
    const known = this.reply;
    const isNext =
      message !== known.message ||
      requestId !== known.request ||
      (requestId === undefined && (parentUuid === undefined ? known.isAnswered : this.answers.has(parentUuid)));
    if (isNext) {
      const count = (this.replyCounts.get(message) ?? 0) + 1;
      this.replyCounts.set(message, count);
      this.answers.clear();
      const name = count === 1 ? message : `${message} ${count}`;
      this.reply = { message, request: requestId, isAnswered: false, name };
    }
    return this.reply.name;
  }

  /** A copy keeps the id and the time of its record, or at least the time and the reply. */
  private addCall(
    { id, name, input }: TranscriptBlock,
    { uuid, timestamp: at, isUndated, requestId }: DatedRecord,
    { n, reply, turn }: { n: number; reply: string | undefined; turn: string | undefined },
  ): void {
    if (id === undefined || name === undefined) return;
    const records = [
      ...(uuid === undefined ? [] : [[uuid, n]]),
      ...(isUndated === true ? [] : [[at, requestId, turn, name, input]]),
    ];
    this.session.addCall(id, { name, input, at, reply }, ...records);
  }

  private addUser(record: DatedRecord): void {
    const { session } = this;
    const blocks = blocksOf(record);
    const results = blocks.filter((block) => block.type === 'tool_result');
    for (const block of results) this.addResult(block, record.timestamp, record.toolDenialKind !== undefined);
    this.reply.isAnswered ||= results.length > 0;
    if (record.uuid !== undefined) this.answers.add(record.uuid);
    const text = blocks
      .flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : []))
      .join('\n');
    if (/^\s*\[Request interrupted by user/.test(text)) session.end = 'interrupted';
    else if (results.length > 0 && session.end === 'ended') session.end = 'unfinished';
    const isPrompt = record.isMeta !== true && record.isCompactSummary !== true && results.length === 0;
    if (isPrompt && !NOT_A_PROMPT.test(text)) session.prompt ??= stated(text);
  }

  private addResult({ tool_use_id: id = '', is_error, content }: TranscriptBlock, at: string, refused: boolean): void {
    const call = this.session.callOf(id);
    const skill = call?.name === 'Skill' && isFields(call.input) ? call.input['skill'] : undefined;
    this.session.finish(call, { failed: is_error === true, text: contentText(content), refused, skill }, at);
  }
}
