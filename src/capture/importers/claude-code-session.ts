import { SkillUseTally } from '../report/skill-use.js';
import {
  blocksOf,
  type TranscriptBlock,
  type TranscriptRecord,
  textOfResult,
} from './claude-code-transcript.schema.js';
import { isRepeated, keptError, type RawCall } from './foreign-call.js';
import { type ForeignEnd, isBadStop } from './foreign-end.js';
import type { SeenCalls } from './importer.js';
import { ObservedOutputs } from './observed-outputs.js';

/** Texts that Claude Code writes in the user's name; none of them is the task. */
export const NOT_A_PROMPT =
  /^\s*(?:<(?:task-notification|command-|local-command|bash-|system-reminder|user-memory)|Caveat: The messages below|\[Request interrupted|This session is being continued)/;

/** Collects the records of one session, or of one of its sub-agents, for a report. */
export class ClaudeCodeSession {
  readonly calls = new Map<string, RawCall>();
  readonly turns = new Set<string>();
  readonly skills = new SkillUseTally();
  readonly outputs = new ObservedOutputs();
  prompt: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  model: string | undefined;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  lastUuid: string | undefined;
  duplicates = 0;
  end: ForeignEnd = { kind: 'ended' };
  readonly #owner: string;

  constructor(
    readonly sessionId: string,
    /** Set for a sub-agent. */
    readonly agentId: string | undefined,
  ) {
    this.#owner = `${sessionId} ${agentId ?? ''}`;
  }

  /** `seen` holds the tool calls of every session read so far: a resumed or forked session repeats its history. */
  add(record: TranscriptRecord & { timestamp: string }, seen: SeenCalls): void {
    if (record.attachment?.type === 'skill_listing') {
      for (const name of record.attachment.names ?? []) this.skills.add(name, 'offered', record.timestamp);
      return; // not a turn: does not start, end or name the execution
    }
    this.widen(record.timestamp);
    this.cwd ??= record.cwd;
    this.version = record.version ?? this.version;
    this.lastUuid = record.uuid ?? this.lastUuid;
    if (record.type === 'assistant') this.addAnswer(record, seen);
    else if (record.type === 'user') this.addUser(record);
    else if (record.attachment?.type === 'max_turns_reached') this.end = { kind: 'max_turns' };
  }

  private widen(at: string): void {
    if (this.startedAt === undefined || Date.parse(at) < Date.parse(this.startedAt)) this.startedAt = at;
    if (this.finishedAt === undefined || Date.parse(at) > Date.parse(this.finishedAt)) this.finishedAt = at;
  }

  private addAnswer(record: TranscriptRecord & { timestamp: string }, seen: SeenCalls): void {
    if (record.isApiErrorMessage === true) {
      this.end = { kind: 'api_error', status: record.apiErrorStatus, type: record.apiErrorType ?? record.error ?? '' };
      return;
    }
    const { model, id, stop_reason: stop } = record.message ?? {};
    if (model !== undefined && model !== '<synthetic>') this.model = model;
    const turn = id ?? record.uuid;
    if (turn !== undefined && model !== '<synthetic>') this.turns.add(turn);
    const toolUses = blocksOf(record).filter((block) => block.type === 'tool_use');
    for (const block of toolUses) this.addCall(block, record.timestamp, turn, seen);
    this.addAttribution(record, seen);
    if (stop !== undefined && isBadStop(stop)) this.end = { kind: 'stopped', reason: stop };
    else this.end = { kind: toolUses.length > 0 ? 'unfinished' : 'ended' };
  }

  /** One message can be several records; its id is what its calls share. */
  private addCall(block: TranscriptBlock, at: string, reply: string | undefined, seen: SeenCalls): void {
    if (block.id === undefined || block.name === undefined) return;
    if (this.calls.has(block.id) || isRepeated(seen, this.#owner, block.id)) {
      this.duplicates += 1;
      return;
    }
    this.calls.set(block.id, { name: block.name, input: block.input, at, reply });
  }

  private addAttribution(record: TranscriptRecord & { timestamp: string }, seen: SeenCalls): void {
    const answer = `answer:${record.message?.id ?? record.uuid}`;
    if (record.attributionSkill === undefined || seen.has(answer)) return;
    seen.set(answer, this.#owner);
    this.skills.add(record.attributionSkill, 'applied', record.timestamp);
  }

  private addUser(record: TranscriptRecord & { timestamp: string }): void {
    const blocks = blocksOf(record);
    const results = blocks.filter((block) => block.type === 'tool_result');
    for (const block of results) this.addResult(block, record.timestamp, record.toolDenialKind !== undefined);
    const text = blocks
      .flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : []))
      .join('\n');
    if (/^\s*\[Request interrupted by user/.test(text)) this.end = { kind: 'interrupted' };
    else if (results.length > 0 && this.end.kind === 'ended') this.end = { kind: 'unfinished' };
    const isPrompt = record.isMeta !== true && record.isCompactSummary !== true && results.length === 0;
    if (isPrompt && this.prompt === undefined && text.trim() !== '' && !NOT_A_PROMPT.test(text)) this.prompt = text;
  }

  private addResult(block: TranscriptBlock, at: string, refused: boolean): void {
    const call = this.calls.get(block.tool_use_id ?? '');
    if (call === undefined || call.result !== undefined) return;
    const failed = block.is_error === true;
    const text = textOfResult(block.content);
    this.outputs.read(call.name, call.input, text, failed);
    // the output of a successful call is read and never kept
    call.result = { failed, text: failed ? keptError(text) : '', at, ...(refused ? { refused } : {}) };
    if (call.name === 'Skill' && !failed) this.skills.add(skillInput(call.input), 'loaded', at);
  }
}

function skillInput(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'skill' in input ? input.skill : undefined;
}
