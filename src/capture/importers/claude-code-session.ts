import {
  blocksOf,
  type TranscriptBlock,
  type TranscriptRecord,
  textOfResult,
} from './claude-code-transcript.schema.js';
import { isBadStop } from './foreign-end.js';
import type { SeenCalls } from './importer.js';
import { ProductSession } from './product-session.js';

/** Texts that Claude Code writes in the user's name; none of them is the task. */
export const NOT_A_PROMPT =
  /^\s*(?:<(?:task-notification|command-|local-command|bash-|system-reminder|user-memory)|Caveat: The messages below|\[Request interrupted|This session is being continued)/;

/** Reads the records of one session, or of one of its sub-agents. */
export class ClaudeCodeSession {
  readonly session: ProductSession;

  /**
   * `seen` holds the tool calls of every session read so far: a resumed or forked session repeats its history. `agentId`
   * is set for a sub-agent.
   */
  constructor(
    private readonly sessionId: string,
    readonly agentId: string | undefined,
    private readonly seen: SeenCalls,
  ) {
    this.session = new ProductSession(seen);
    this.session.id = sessionId;
    this.session.part = agentId ?? '';
    this.session.parent = agentId === undefined ? undefined : sessionId;
    this.session.end = { kind: 'ended' };
  }

  add(record: TranscriptRecord & { timestamp: string }): void {
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
    else if (record.attachment?.type === 'max_turns_reached') session.end = { kind: 'max_turns' };
  }

  private addAnswer(record: TranscriptRecord & { timestamp: string }): void {
    const { session } = this;
    if (record.isApiErrorMessage === true) {
      const type = record.apiErrorType ?? record.error ?? '';
      session.end = { kind: 'api_error', status: record.apiErrorStatus, type };
      return;
    }
    const { model, id, stop_reason: stop } = record.message ?? {};
    if (model !== undefined && model !== '<synthetic>') session.model = model;
    const turn = id ?? record.uuid;
    if (turn !== undefined && model !== '<synthetic>') session.replies.add(turn);
    const toolUses = blocksOf(record).filter((block) => block.type === 'tool_use');
    for (const block of toolUses) this.addCall(block, record.timestamp, turn);
    this.addAttribution(record);
    if (stop !== undefined && isBadStop(stop)) session.end = { kind: 'stopped', reason: stop };
    else session.end = { kind: toolUses.length > 0 ? 'unfinished' : 'ended' };
  }

  /** One message can be several records; its id is what its calls share. */
  private addCall({ id, name, input }: TranscriptBlock, at: string, reply: string | undefined): void {
    if (id === undefined || name === undefined) return;
    if (this.session.calls.has(id)) this.session.duplicates += 1;
    else this.session.addCall(id, { name, input, at, reply });
  }

  private addAttribution(record: TranscriptRecord & { timestamp: string }): void {
    const answer = `answer:${record.message?.id ?? record.uuid}`;
    if (record.attributionSkill === undefined || this.seen.has(answer)) return;
    this.seen.set(answer, `${this.sessionId} ${this.agentId ?? ''}`);
    this.session.skills.add(record.attributionSkill, 'applied', record.timestamp);
  }

  private addUser(record: TranscriptRecord & { timestamp: string }): void {
    const { session } = this;
    const blocks = blocksOf(record);
    const results = blocks.filter((block) => block.type === 'tool_result');
    for (const block of results) this.addResult(block, record.timestamp, record.toolDenialKind !== undefined);
    const text = blocks
      .flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : []))
      .join('\n');
    if (/^\s*\[Request interrupted by user/.test(text)) session.end = { kind: 'interrupted' };
    else if (results.length > 0 && session.end.kind === 'ended') session.end = { kind: 'unfinished' };
    const isPrompt = record.isMeta !== true && record.isCompactSummary !== true && results.length === 0;
    if (isPrompt && text.trim() !== '' && !NOT_A_PROMPT.test(text)) session.prompt ??= text;
  }

  private addResult({ tool_use_id: id = '', is_error, content }: TranscriptBlock, at: string, refused: boolean): void {
    const call = this.session.calls.get(id);
    const skill = call?.name === 'Skill' ? skillInput(call.input) : undefined;
    this.session.finish(call, { failed: is_error === true, text: textOfResult(content), refused, skill }, at);
  }
}

function skillInput(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'skill' in input ? input.skill : undefined;
}
