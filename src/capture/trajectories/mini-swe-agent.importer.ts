import { z } from 'zod';
import { type ForeignEnd, isFailure } from '../importers/foreign-end.js';
import type { ImportTally } from '../importers/import-tally.js';
import type { ImportContext } from '../importers/importer.js';
import { contentText } from '../importers/json-fields.js';
import { ProductSession, sessionImporter } from '../importers/product-session.js';
import {
  commandsIn,
  isInterruption,
  isMiniText,
  isReply,
  isSubmission,
  type MiniCommand,
  refusalIn,
  resultIn,
} from './mini-message.js';
import { MiniMessage, MiniTrajectory } from './mini-swe-agent.schema.js';
import { folderOf, instanceOfFile, instantOf, nameInstance, nameRun } from './run-identity.js';

/** Names of errors of the client that talks to the model's API. */
const API_ERROR =
  /^(?:\w{0,40}(?:API|RateLimit|Authentication|Permission\w{0,6}|NotFound|BadRequest|UnprocessableEntity|ServiceUnavailable|InternalServer|Overloaded|Connection|ContentPolicy\w{0,10})Error|Timeout|APITimeoutError|RetryError)$/;
const LIMIT = /^(?:LimitsExceeded|TimeExceeded|ContextWindowExceededError)$/;

/**
 * Imports trajectories of mini-swe-agent: one document per run, or the list of its messages, as versions before 1.0 wrote
 * it. Every call is a command line, and its exit code decides.
 */
export const miniSweAgentImporter = sessionImporter({
  product: { format: 'mini-swe-agent', title: 'mini-swe-agent' },
  recognises: (record) =>
    /^mini-swe-agent/.test(String(record['trajectory_format'])) ||
    (typeof record['role'] === 'string' &&
      typeof record['content'] === 'string' &&
      !('type' in record) &&
      isMiniText(record['content'])),
  record: z.preprocess((value) => (Array.isArray(value) ? { messages: value } : value), MiniTrajectory),
  isDocument: () => true,
  begin(context, tally) {
    const run = new MiniRun(context, tally);
    return { sessions: [run.session], add: (trajectory) => run.add(trajectory) };
  },
});

interface PendingCommand extends MiniCommand {
  readonly key: string;
  readonly at: string;
  /** Several commands of a reply have one time, so that none has a duration. */
  readonly isTimed: boolean;
  readonly reply: string;
}

/** Reads the messages of one run in their order. */
class MiniRun {
  // a run repeats no other, and its calls have no ids that others could not have
  readonly session = new ProductSession();
  #pending: PendingCommand[] = [];

  constructor(
    private readonly context: ImportContext,
    private readonly tally: ImportTally,
  ) {}

  add({ messages, info, instance_id }: MiniTrajectory): void {
    const { session, context } = this;
    const name = instance_id ?? instanceOfFile(context.sessionHint) ?? 'unnamed';
    nameInstance(session, instance_id ?? name);
    session.version = info?.mini_version;
    session.model = info?.config?.model?.model_name;
    session.cwd = folderOf(info?.config?.environment?.cwd);
    const parsed = messages.map((message) => MiniMessage.safeParse(message).data);
    const read = parsed.filter((message) => message !== undefined);
    let n = 0;
    for (const message of parsed) {
      if (message === undefined) {
        this.tally.omit('message that is no readable record');
        session.addHole();
      } else this.#addMessage(message, n++, n === read.length);
    }
    const exit = read.findLast(({ extra }) => extra?.exit_status !== undefined)?.extra;
    this.#end(info?.exit_status ?? exit?.exit_status, info?.exception_str ?? exit?.exception_str);
    nameRun(session, name, { first: read.find(isReply), last: [read.length, info, read.at(-1)] });
    session.taskNames.push(name);
  }

  #addMessage(message: MiniMessage, n: number, isLast: boolean): void {
    const at = instantOf(message.extra?.timestamp ?? message.extra?.response?.created);
    this.session.widen(at);
    if (isReply(message)) this.#addReply(message, n, at);
    else if (message.role === 'system' || message.role === 'exit') return;
    else if (message.extra?.actions !== undefined) this.tally.omit('command of a person');
    else if (this.session.replies.size === 0 && refusalIn(message) === undefined)
      this.#addPrompt(contentText(message.content));
    else this.#addAnswer(message, at, isLast);
  }

  /** The text about the machine is no part of the task. */
  #addPrompt(text: string): void {
    const [open, close] = ['<system_information>', '</system_information>'];
    const from = text.indexOf(open);
    const to = text.indexOf(close, from);
    this.session.operatingSystem = from < 0 ? undefined : systemIn(text.slice(from + open.length, from + 200));
    this.session.addPrompt(from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + close.length));
  }

  #addReply(message: MiniMessage, n: number, at: string | undefined): void {
    const { session, context } = this;
    const reply = String(n);
    session.replies.add(reply);
    session.model ??= message.extra?.response?.model;
    const commands = commandsIn(message);
    if (commands.length === 0) this.tally.omit('reply without an action');
    const isTimed = at !== undefined && commands.length === 1;
    this.#pending = commands.map((command, k) => {
      const call = { ...command, key: `${n} ${k}`, at: at ?? context.recordedAt ?? '', isTimed, reply };
      // the command that ends the run is no call, unless it ran and the run went on
      if (!isSubmission(command)) this.#start(call);
      return call;
    });
    session.end = commands.some(isSubmission) ? 'ended' : 'unfinished';
  }

  #start({ key, command, at, reply }: PendingCommand): void {
    this.session.openCall(key, { name: 'bash', input: { command }, at, reply });
  }

  #addAnswer(message: MiniMessage, at: string | undefined, isLast: boolean): void {
    const refusal = refusalIn(message);
    if (refusal !== undefined) this.#refuse(refusal, contentText(message.content));
    else if (isInterruption(message)) this.session.end = 'interrupted';
    else this.#addResult(message, at, isLast);
  }

  #addResult(message: MiniMessage, at: string | undefined, isLast: boolean): void {
    const id = message.tool_call_id ?? message.call_id;
    const call = this.#pending.find((one) => id === undefined || one.id === id);
    if (call === undefined) return;
    this.#pending = this.#pending.filter((one) => one !== call);
    const { isMarked, ...result } = resultIn(message, call.command);
    // the last message of a run can be what it submitted
    if ((isSubmission(call) && (!isMarked || result.refused === true)) || (isLast && !isMarked)) return;
    this.#start(call);
    this.session.finishCall(
      call.key,
      { ...result, durationMs: call.isTimed && at !== undefined ? undefined : -1 },
      at ?? call.at,
    );
    if (isSubmission(call)) this.session.end = 'unfinished';
  }

  #refuse(refusal: 'format' | 'person', text: string): void {
    if (this.#pending.length === 0)
      this.tally.omit(refusal === 'format' ? 'reply that the harness refused' : 'comment of a person');
    for (const call of this.#pending) {
      this.#start(call);
      this.session.finishCall(call.key, { failed: true, refused: true, text, durationMs: -1 }, call.at);
    }
    this.#pending = [];
    this.session.end = 'unfinished';
  }

  #end(status: string | undefined, message: string | undefined): void {
    const end = endOf(status);
    if (end === undefined) return;
    this.session.end = end;
    if (isFailure(end)) this.session.errorMessage = message;
  }
}

/** Undefined if the file does not say: the messages do. */
function endOf(status: string | undefined): ForeignEnd | undefined {
  if (status === undefined || status === '') return undefined;
  if (status === 'Submitted') return 'ended';
  if (LIMIT.test(status)) return { kind: 'limit', reason: status };
  if (/^(?:KeyboardInterrupt|UserInterruption)$/.test(status)) return 'interrupted';
  if (API_ERROR.test(status)) return { kind: 'api_error', status: undefined, type: status };
  return { kind: 'stopped', reason: status };
}

function systemIn(text: string): string | undefined {
  const name = /^\s{0,20}(Linux|Darwin|Windows)\b/.exec(text)?.[1];
  return name === undefined ? undefined : { Linux: 'linux', Darwin: 'macOS', Windows: 'windows' }[name];
}
