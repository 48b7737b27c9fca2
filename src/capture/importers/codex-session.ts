import { repositoryLabel } from '../report/repository-label.js';
import { SkillUseTally } from '../report/skill-use.js';
import type { RolloutLine, RolloutPayload } from './codex-rollout.schema.js';
import type { RawCall } from './foreign-call.js';
import type { ForeignEnd } from './foreign-end.js';
import { parseJson } from './import-tally.js';
import { ObservedOutputs } from './observed-outputs.js';
import { commandOf } from './task-sources.js';
import { readUnmarked } from './unmarked-failure.js';

/** Texts that Codex writes in the user's name; none of them is the task. */
const NOT_A_PROMPT = /^\s*<(?:environment_context|user_instructions|turn_aborted|skill|permissions|collaboration_mode)/;
/** Codex gives the model the path of a skill; reading that file loads the skill. */
const SKILL_FILE = /[\\/]([a-z0-9][a-z0-9-]{0,63})[\\/]SKILL\.md\b/;

/** Collects the lines of one rollout for a report. */
export class CodexSession {
  readonly calls = new Map<string, RawCall>();
  readonly skills = new SkillUseTally();
  readonly outputs = new ObservedOutputs();
  id: string | undefined;
  /** For a sub-agent: the session that started it. */
  parent: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  repository: string | undefined;
  model: string | undefined;
  prompt: string | undefined;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  turns = 0;
  duplicates = 0;
  errorMessage: string | undefined;
  end: ForeignEnd = { kind: 'unfinished' };
  /** The number of the model's reply: its calls follow each other, and an output or a message ends it. */
  #reply = 0;

  /** `seen` holds the calls of every session read so far: a resumed or forked session repeats its history. */
  add({ timestamp, type, payload }: RolloutLine, seen: Set<string>): void {
    this.startedAt ??= timestamp;
    this.finishedAt = timestamp;
    if (type === 'session_meta') this.#addMeta(payload);
    else if (type === 'turn_context') this.model = payload.model ?? this.model;
    else if (type === 'token_usage_record') this.turns += 1;
    else if (type === 'response_item') this.#addItem(payload, timestamp, seen);
    else if (type === 'event_msg') this.#addEvent(payload, timestamp);
  }

  #addMeta(payload: RolloutPayload): void {
    // a fork has its own meta first and then that of the session it was forked from
    this.id ??= payload.id;
    this.cwd ??= payload.cwd;
    this.version ??= payload.cli_version;
    this.repository ??= repositoryLabel(payload.git?.repository_url ?? '');
    this.parent ??= parentIn(payload.source);
  }

  #addItem(payload: RolloutPayload, at: string, seen: Set<string>): void {
    switch (payload.type) {
      case 'message':
        this.#reply += 1;
        this.#addMessage(payload);
        return;
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        this.#addCall(payload, at, seen);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#reply += 1;
        this.#addOutput(payload, at);
        return;
    }
  }

  #addMessage({ role, content }: RolloutPayload): void {
    const text = (content ?? [])
      .flatMap((part) => (typeof part === 'object' && part !== null && 'text' in part ? [part.text] : []))
      .filter((part) => typeof part === 'string')
      .join('\n');
    if (role === 'user' && this.prompt === undefined && text.trim() !== '' && !NOT_A_PROMPT.test(text))
      this.prompt = text;
    // older rollouts have no event for the end of a turn
    if (role === 'assistant') this.end = { kind: 'ended' };
  }

  #addCall(payload: RolloutPayload, at: string, seen: Set<string>): void {
    this.end = { kind: 'unfinished' };
    const { call_id: id } = payload;
    if (id === undefined) return;
    if (seen.has(id)) {
      this.duplicates += 1;
      return;
    }
    seen.add(id);
    const raw = payload.arguments ?? payload.input ?? payload.action;
    const input = typeof raw === 'string' ? (parseJson(raw) ?? raw) : raw;
    this.calls.set(id, {
      name: payload.name ?? 'local_shell',
      input: withoutShell(input),
      at,
      reply: `${this.#reply}`,
    });
  }

  /** Used only if no event reported the result: the output alone has no mark for failure. */
  #addOutput({ call_id: id, output }: RolloutPayload, at: string): void {
    const call = this.calls.get(id ?? '');
    if (call === undefined || call.result !== undefined) return;
    const { code, text } = readOutput(output);
    const read = readUnmarked(call.name, text);
    this.#finish(call, code === undefined ? read : { failed: code !== 0, text: read.text }, at);
  }

  #addEvent(payload: RolloutPayload, at: string): void {
    switch (payload.type) {
      case 'task_started':
      case 'turn_started':
        this.end = { kind: 'unfinished' };
        return;
      case 'task_complete':
      case 'turn_complete':
        this.end = payload.error === undefined ? { kind: 'ended' } : this.#apiError(payload.error);
        return;
      case 'turn_aborted':
        this.end = /budget|limit/.test(payload.reason ?? '') ? { kind: 'max_turns' } : { kind: 'interrupted' };
        return;
      case 'item_completed':
        this.#addCompleted(payload, at);
        return;
      case 'exec_command_end':
        this.#addResult(payload.call_id, payload.exit_code, payload.aggregated_output ?? payload.stderr, at);
        return;
      case 'patch_apply_end':
        this.#addResult(payload.call_id, payload.success === false ? 1 : 0, payload.stderr, at);
        return;
    }
  }

  /** A completed item has the exit code under the call's id and comes before the output. */
  #addCompleted({ item }: RolloutPayload, at: string): void {
    if (item?.type !== 'CommandExecution') return;
    const { id, status, exit_code: code, aggregated_output: text, duration } = item;
    const failed = code === undefined ? status === 'failed' || status === 'declined' : code !== 0;
    const ms = duration && Math.round((duration.secs ?? 0) * 1_000 + (duration.nanos ?? 0) / 1e6);
    this.#addResult(id, failed ? 1 : 0, text, at, ms);
  }

  #addResult(
    id: string | undefined,
    code: number | undefined,
    text: string | undefined,
    at: string,
    ms?: number,
  ): void {
    const call = this.calls.get(id ?? '');
    if (call === undefined || call.result !== undefined || code === undefined) return;
    this.#finish(call, { failed: code !== 0, text: text ?? '' }, at, ms);
  }

  #finish(call: RawCall, { failed, text }: { failed: boolean; text: string }, at: string, durationMs?: number): void {
    this.outputs.read(call.name, call.input, text, failed);
    // the output of a successful call is read and never kept
    call.result = { failed, text: failed ? text : '', at, ...(durationMs === undefined ? {} : { durationMs }) };
    const skill = failed ? undefined : SKILL_FILE.exec(commandOf(call.input).slice(0, 5_000))?.[1];
    this.skills.add(skill, 'loaded', at);
  }

  #apiError({ message, codex_error_info: info }: NonNullable<RolloutPayload['error']>): ForeignEnd {
    this.errorMessage = message;
    const [kind, detail] =
      typeof info === 'object' && info !== null ? (Object.entries(info)[0] ?? []) : [info, undefined];
    const status: unknown =
      typeof detail === 'object' && detail !== null && 'http_status_code' in detail
        ? detail.http_status_code
        : undefined;
    return { kind: 'api_error', status: typeof status === 'number' ? status : undefined, type: String(kind ?? '') };
  }
}

function parentIn(source: unknown): string | undefined {
  const spawned = at(at(source, 'subagent'), 'thread_spawn');
  const parent = at(spawned, 'parent_thread_id');
  return typeof parent === 'string' ? parent : undefined;
}

/** `["bash", "-lc", "make test"]` is `make test`. */
export function withoutShell(input: unknown): unknown {
  const command = at(input, 'command');
  if (!Array.isArray(command) || command.length !== 3) return input;
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(String(command[0])) && /^-l?c$/.test(String(command[1]))
    ? { command: String(command[2]) }
    : input;
}

/** The output is a text, or in older versions JSON with the text and the exit code, as a string or an object. */
function readOutput(output: unknown): { code: number | undefined; text: string } {
  const value = typeof output === 'string' && output.startsWith('{') ? (parseJson(output) ?? output) : output;
  if (typeof value === 'string') return { code: undefined, text: value };
  const text = at(value, 'output') ?? at(value, 'content');
  const code = at(at(value, 'metadata'), 'exit_code') ?? (at(value, 'success') === false ? 1 : undefined);
  return { code: typeof code === 'number' ? code : undefined, text: typeof text === 'string' ? text : '' };
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? Object.entries(value).find(([k]) => k === key)?.[1]
    : undefined;
}
