import { optional } from '../../platform/base/optional.js';
import { scriptCalls } from '../../untrusted/shell/script-calls.js';
import { type RolloutItem, RolloutLine, type RolloutPayload } from './codex-rollout.schema.js';
import type { RawCall } from './foreign-call.js';
import type { ForeignEnd } from './foreign-end.js';
import { parseJson } from './import-tally.js';
import { asFields, contentText, fieldsAt, stated, textAt } from './json-fields.js';
import { type CallResult, ProductSession } from './product-session.js';
import { commandOf, withoutShell } from './task-sources.js';
import { readUnmarked, withExitCode } from './unmarked-failure.js';

/** Texts that Codex writes in the user's name; none of them is the task. */
const NOT_A_PROMPT = /^\s*<(?:environment_context|user_instructions|turn_aborted|skill|permissions|collaboration_mode)/;
/** Codex gives the model the path of a skill; reading that file loads the skill. */
const SKILL_FILE = /[\\/]([a-z0-9][a-z0-9-]{0,63})[\\/]SKILL\.md\b/;

const MCP = 'mcp__';
/** Codex runs a script in JavaScript that calls the tools; each script is one call of this tool. */
const SCRIPT_TOOL = 'exec';
const SCRIPT_HEAD = /^Script (completed|failed|running)[^\n]{0,100}(?:\nWall time[^\n]{0,60})?(?:\nOutput:)?(?:\n|$)/;
const RESULT_ITEMS: ReadonlySet<unknown> = new Set(['CommandExecution', 'FileChange', 'McpToolCall']);

/** The calls of a script: those that events report, and without events those in its text. */
interface ScriptMade {
  readonly reported: RawCall[];
  readonly written: RawCall[];
}

/** Reads the lines of one rollout. */
export class CodexRollout {
  readonly session = new ProductSession();
  /** The number of the model's reply: its calls follow each other, and an output or a message ends it. */
  #reply = 0;
  /** By the call of a script, in their order. */
  readonly #scripts = new Map<RawCall, ScriptMade>();
  /** By the id of a call: its reply, how often the session had it, and the results that events reported before outputs. */
  readonly #asked = new Map<string, { reply: string; count: number; reported: number }>();
  /** The session whose history this one repeats, or this one. */
  #root: string | undefined;
  /** The reported calls of all scripts by their ids. */
  readonly #made = new Map<string, RawCall>();

  add({ timestamp, type, payload }: RolloutLine): void {
    const { session } = this;
    session.startedAt ??= timestamp;
    session.finishedAt = timestamp;
    if (type === 'session_meta') this.#addMeta(payload);
    else if (type === 'turn_context') session.model = payload.model ?? session.model;
    else if (type === 'token_usage_record') session.turns = (session.turns ?? 0) + 1;
    else if (type === 'response_item') this.#addItem(payload, timestamp);
    else if (type === 'event_msg') this.#addEvent(payload, timestamp);
  }

  /** Lets the calls of a script stand for it, unless it failed and none of them did. */
  finish(): void {
    const { calls } = this.session;
    const all = calls.flatMap((call) => {
      const { reported = [], written = [] } = this.#scripts.get(call) ?? {};
      const made = reported.length > 0 ? reported : written;
      const explains = made.length > 0 && (call.result?.failed !== true || made.some(({ result }) => result?.failed));
      const [first, ...others] = explains ? made : [...made, call];
      return first === undefined ? [] : [{ ...first, ...optional('afterHole', call.afterHole) }, ...others];
    });
    calls.length = 0;
    for (const call of all) calls.push(call);
  }

  #addMeta(payload: RolloutPayload): void {
    // a fork has its own meta first and then that of the session it was forked from
    this.session.id ??= payload.id;
    if (this.#root === undefined || payload.id !== this.session.id) this.#root = payload.forked_from_id ?? payload.id;
    this.session.cwd ??= payload.cwd;
    this.session.version ??= payload.cli_version;
    this.session.repository ??= payload.git?.repository_url;
    this.session.parent ??= parentIn(payload.source);
  }

  #addItem(payload: RolloutPayload, at: string): void {
    switch (payload.type) {
      case 'message':
        this.#reply += 1;
        this.#addMessage(payload);
        return;
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        this.#addCall(payload, at);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#reply += 1;
        this.#addOutput(payload, at);
        return;
    }
  }

  #addMessage({ role, content }: RolloutPayload): void {
    const text = contentText(content);
    if (role === 'user' && !NOT_A_PROMPT.test(text)) this.session.prompt ??= stated(text);
    // older rollouts have no event for the end of a turn
    if (role === 'assistant') this.session.end = 'ended';
  }

  #addCall(payload: RolloutPayload, at: string): void {
    this.session.end = 'unfinished';
    const { call_id: id } = payload;
    if (id === undefined) return;
    const raw = payload.arguments ?? payload.input ?? payload.action;
    const input = typeof raw === 'string' ? (parseJson(raw) ?? raw) : raw;
    const reply = `${this.#reply}`;
    const known = this.#asked.get(id);
    const count = (known?.count ?? 0) + 1;
    this.#asked.set(id, { reply, count, reported: known?.reply === reply ? known.reported : 0 });
    const name = nameOf(payload);
    // a fork writes its history again at its own time
    const call = this.session.addCall(
      id,
      { name, input: withoutShell(input), at, reply, record: [this.#root, count] },
      [at, count, name, raw],
      [this.#root, count, name, raw],
    );
    if (payload.type === 'custom_tool_call' && payload.name === SCRIPT_TOOL)
      this.#scripts.set(call, { reported: [], written: [] });
  }

  /** Used only if no event reported the result: the output alone has no mark for failure. */
  #addOutput({ call_id: id, output }: RolloutPayload, at: string): void {
    const asked = this.#asked.get(id ?? '');
    if (asked !== undefined && asked.reported > 0) {
      asked.reported -= 1;
      return;
    }
    const call = this.session.callOf(id ?? '');
    if (call === undefined) return;
    const script = this.#scripts.get(call);
    if (script === undefined) this.#finish(call, resultOf(call.name, output), at);
    else this.#addScriptOutput(call, script, output, at);
  }

  /** Reads the calls from the text of the script if no event reported them, and their results from what it printed. */
  #addScriptOutput(script: RawCall, { reported, written }: ScriptMade, output: unknown, at: string): void {
    const printed = Array.isArray(output) ? output.map((part) => contentText([part])) : [readOutput(output).text];
    const state = SCRIPT_HEAD.exec(printed[0] ?? '')?.[1];
    // what still runs has no result yet
    if (state === 'running') return;
    const parts = printed.map((part, n) => (n === 0 ? part.replace(SCRIPT_HEAD, '') : part)).filter((part) => part);
    const failed = state === 'failed';
    this.#finish(script, { failed, text: parts.join('\n') }, at);
    const calls = reported.length > 0 ? [] : (scriptCalls(String(script.input)) ?? []);
    if (calls.length !== 1 && calls.length !== parts.length) return;
    for (const [n, { name, input }] of calls.entries()) {
      const { id, at: asked, reply } = script;
      const call: RawCall = { id, name, input, at: asked, reply, ...madeBy(script, n) };
      const result = resultOf(name, parts[n] ?? '');
      this.#finish(call, { ...result, failed: result.failed || (failed && calls.length === 1) }, at);
      written.push(call);
    }
  }

  #addEvent(payload: RolloutPayload, at: string): void {
    switch (payload.type) {
      case 'task_started':
      case 'turn_started':
        this.session.end = 'unfinished';
        return;
      case 'task_complete':
      case 'turn_complete':
        this.session.end = payload.error === undefined ? 'ended' : this.#apiError(payload.error);
        return;
      case 'turn_aborted':
        this.session.end = /budget|limit/.test(payload.reason ?? '') ? 'max_turns' : 'interrupted';
        return;
      case 'item_completed':
        this.#addCompleted(payload, at);
        return;
      case 'exec_command_end':
        this.#addExecEnd(payload, at);
        return;
      case 'patch_apply_end':
        this.#addMade(payload.call_id, 'apply_patch', '', at);
        this.#addResult(payload.call_id, { failed: payload.success === false, text: payload.stderr ?? '' }, at);
        return;
    }
  }

  /** A completed item has the result under the call's id and comes before the output, which has no mark for failure. */
  #addCompleted({ item }: RolloutPayload, at: string): void {
    if (item === undefined || !RESULT_ITEMS.has(item.type)) return;
    this.#addMade(item.id, ...askedOf(item), at);
    const { id, status, exit_code: code, result, error, duration } = item;
    const isMarked = status === 'failed' || status === 'declined' || result?.isError === true || error !== undefined;
    const failed = code === undefined ? isMarked : code !== 0;
    const output = item.aggregated_output ?? error?.message ?? item.stderr ?? contentText(result?.content);
    const text = code === undefined || code === 0 ? output : withExitCode(code, output);
    const ms = duration && Math.round((duration.secs ?? 0) * 1_000 + (duration.nanos ?? 0) / 1e6);
    this.#addResult(id, { failed, text, refused: status === 'declined', durationMs: ms }, at);
  }

  /** A call whose id is that of no call of the model was made by the latest script. */
  #addMade(id: string | undefined, name: string, input: unknown, at: string): void {
    const [script, { reported: made } = {}] = [...this.#scripts].at(-1) ?? [];
    if (
      script === undefined ||
      id === undefined ||
      made === undefined ||
      this.#asked.has(id) ||
      made.some((one) => one.id === id)
    )
      return;
    const call: RawCall = { id, name, input: withoutShell(input), at, ...madeBy(script, id) };
    this.#made.set(id, call);
    made.push(call);
  }

  #addExecEnd({ call_id: id, exit_code: code, ...payload }: RolloutPayload, at: string): void {
    const text = payload.aggregated_output ?? payload.stderr ?? '';
    if (code === undefined) return;
    this.#addMade(id, 'exec_command', { command: payload.command }, at);
    this.#addResult(id, { failed: code !== 0, text: code === 0 ? text : withExitCode(code, text) }, at);
  }

  #addResult(id: string | undefined, result: CallResult, at: string): void {
    const call = this.session.callOf(id ?? '');
    const asked = this.#asked.get(id ?? '');
    if (call !== undefined && asked !== undefined) asked.reported += 1;
    this.#finish(call ?? this.#made.get(id ?? ''), result, at);
  }

  #finish(call: RawCall | undefined, result: CallResult, at: string): void {
    const skill = call && SKILL_FILE.exec(commandOf(call.input).slice(0, 5_000))?.[1];
    this.session.finish(call, { ...result, skill }, at);
  }

  #apiError({ message, codex_error_info: info }: NonNullable<RolloutPayload['error']>): ForeignEnd {
    this.session.errorMessage = message;
    const [kind, detail] =
      typeof info === 'object' && info !== null ? (Object.entries(info)[0] ?? []) : [info, undefined];
    const status = asFields(detail)['http_status_code'];
    return { kind: 'api_error', status: typeof status === 'number' ? status : undefined, type: String(kind ?? '') };
  }
}

/** The id of the session that the first line of a rollout names, and for a sub-agent that of its parent. */
export function sessionMetaIn(line: string): { id: string; parent: string | undefined } | undefined {
  const { data } = RolloutLine.safeParse(parseJson(line));
  const id = data?.type === 'session_meta' ? data.payload.id : undefined;
  return id === undefined ? undefined : { id, parent: parentIn(data?.payload.source) };
}

/** A call of a script has the script's name in all copies. */
const madeBy = (script: RawCall, part: unknown) => ({ record: [script.record, part], isNamed: true }) as const;

const nameOf = ({ name, namespace }: RolloutPayload): string =>
  namespace?.startsWith(MCP) === true ? `${namespace}__${name}` : (name ?? 'local_shell');

/** The tool and the input of a completed item. */
function askedOf({ type, server, tool, command, arguments: input }: RolloutItem): [string, unknown] {
  if (type === 'McpToolCall') return [`${MCP}${server}__${tool}`, input];
  return type === 'FileChange' ? ['apply_patch', ''] : ['exec_command', { command }];
}

/** The result in an output that no event explains. */
function resultOf(tool: string, output: unknown): CallResult {
  const { code, text } = readOutput(output);
  const read = readUnmarked(tool, text);
  if (code === undefined) return read;
  return { failed: code !== 0, text: code === 0 ? read.text : withExitCode(code, read.text) };
}

function parentIn(source: unknown): string | undefined {
  return textAt(fieldsAt(fieldsAt(source, 'subagent'), 'thread_spawn'), 'parent_thread_id');
}

/** The output is a text or a list of texts, or in older versions JSON with the text and the exit code, as a string or an object. */
function readOutput(output: unknown): { code: number | undefined; text: string } {
  const value = typeof output === 'string' && output.startsWith('{') ? (parseJson(output) ?? output) : output;
  if (typeof value === 'string') return { code: undefined, text: value };
  if (Array.isArray(value)) return { code: undefined, text: contentText(value) };
  const fields = asFields(value);
  const code =
    fieldsAt(fields, 'metadata')['exit_code'] ?? fields['exit_code'] ?? (fields['success'] === false ? 1 : undefined);
  return { code: typeof code === 'number' ? code : undefined, text: textAt(fields, 'output', 'content') ?? '' };
}
