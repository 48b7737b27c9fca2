import { z } from 'zod';
import { readable } from '../../platform/base/lenient.schema.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { HOLE } from '../importers/import-tally.js';
import { contentText, type Fields, fieldsAt, isFields, listAt, textAt } from '../importers/json-fields.js';
import { type CallResult, ProductSession, sessionImporter } from '../importers/product-session.js';
import { callsIn, type GeminiCall, GeminiHeader, GeminiMessage, GeminiPatch } from './gemini-session.schema.js';
import { readGeminiShell } from './marked-exit.js';
import { withoutContext } from './prompt-text.js';

/** Texts that Gemini CLI writes in the user's name; none of them is the task. */
const NOT_A_PROMPT = /^\s{0,20}<(?:session_context|state_snapshot|hook_context)>/;
const WORKSPACE = /\*\*Workspace Directories:\*\*\n\s{1,8}- ([^\n]{1,1000})/;

/** The working directory in the text with which Gemini CLI begins a session. */
const workspaceIn = (text: string): string | undefined => WORKSPACE.exec(text.slice(0, 20_000))?.[1]?.trim();

/**
 * Imports session files of Gemini CLI: one report per file, in lines (`session-….jsonl`) or, from older versions, as one
 * document. As for every transcript, conversation and outputs stay on the machine.
 */
export const geminiImporter = sessionImporter({
  product: { format: 'gemini', title: 'Gemini CLI' },
  recognises: (record) => 'projectHash' in record && 'sessionId' in record,
  record: z.unknown(),
  // older versions write a formatted document, whose first line is no record
  isDocument: (firstLine) => firstLine === '{',
  begin() {
    const session = new ProductSession();
    const file = new SessionFile();
    return {
      sessions: [session],
      add: (value) => file.add(value),
      addHole: () => file.addHole(),
      finish: () => addGeminiSession(session, file.header, file.messages.values()),
    };
  },
});

/** The records of a file: its first line, and every message in its last form. */
class SessionFile {
  readonly messages = new Map<string, GeminiMessage | typeof HOLE>();
  header: GeminiHeader | undefined;
  #holes = 0;
  #latest: string | undefined;
  /** The last message before a hole. */
  #cut: string | undefined;

  /** Also where the conversation was taken back: what comes after does not continue what came before. */
  addHole(): void {
    this.#holes += 1;
    this.messages.set(`hole ${this.#holes}`, HOLE);
    this.#cut = this.#latest;
  }

  add(value: unknown): boolean {
    const { data: message } = GeminiMessage.safeParse(value);
    const { data: header } = GeminiHeader.safeParse(value);
    const { data: patch } = GeminiPatch.safeParse(value);
    if (message !== undefined) {
      // what goes on behind a hole may have begun its calls there
      if (message.id === this.#cut) this.messages.delete(message.id);
      this.messages.set(message.id, message);
      this.#latest = message.id;
      return true;
    }
    if (isFields(value) && '$rewindTo' in value) this.addHole();
    else if (header === undefined && patch === undefined) return false;
    this.header ??= header;
    // a message that is known stays in its later form, but for its place
    for (const one of readable(header?.messages ?? patch?.$set.messages, GeminiMessage)) this.messages.set(one.id, one);
    return true;
  }
}

/**
 * Adds the session that messages describe, in their order. `$rewindTo` and a new list of messages change what the model
 * is sent, not what ran, so every message counts in its last form; a rewind is a hole.
 */
function addGeminiSession(
  session: ProductSession,
  header: GeminiHeader | undefined,
  messages: Iterable<GeminiMessage | typeof HOLE>,
): void {
  session.id = header?.sessionId;
  session.cwd = header?.directories?.find((folder) => typeof folder === 'string');
  for (const message of messages) {
    if (message === HOLE) session.addHole();
    else addMessage(session, message);
  }
  // the file of a sub-agent does not name the session that started it: its folder does
  if (header?.kind === 'subagent') session.parent = 'unknown';
}

function addMessage(session: ProductSession, message: GeminiMessage): void {
  const { type, id, timestamp, content } = message;
  if (type === 'user') addUser(session, content);
  else if (type === 'gemini') addReply(session, message);
  else if (type === 'error') session.fail(contentText(content));
  else if (type === 'info' && /\bcancelled\b/i.test(contentText(content).slice(0, 200))) session.end = 'interrupted';
  else return;
  session.widen(timestamp);
  session.lastId = id;
}

function addUser(session: ProductSession, content: unknown): void {
  const text = contentText(content);
  session.cwd ??= workspaceIn(text);
  // results of calls are messages of the user without a text
  if (text.trim() === '') return;
  const prompt = withoutContext(text);
  if (!NOT_A_PROMPT.test(prompt)) session.addPrompt(prompt);
}

function addReply(session: ProductSession, message: GeminiMessage): void {
  const calls = callsIn(message);
  session.model = message.model ?? session.model;
  session.replies.add(message.id);
  for (const [n, call] of calls.entries()) {
    const id = call.id ?? `${message.id} ${n}`;
    const name = call.name ?? 'unnamed';
    const { timestamp: at, id: reply } = message;
    const raw = { name, input: call.args, at, reply };
    const added = session.addCall(id, raw, [reply, n], [at, name, call.args]);
    session.finish(added, resultOf(name, call), call.timestamp ?? at);
    session.widen(call.timestamp);
  }
  session.end = calls.length > 0 ? 'unfinished' : 'ended';
}

/** Undefined for a call that did not end. */
function resultOf(name: string, { status, result, args }: GeminiCall): CallResult | undefined {
  const response = responseOf(result);
  const error = textAt(response, 'error');
  const output = contentText(response['output'] ?? result);
  if (status === 'cancelled') return { failed: true, refused: true, text: error ?? output };
  if (status === 'error' || error !== undefined) return { failed: true, text: error ?? output };
  if (status !== 'success') return undefined;
  if (isShellTool(name)) return readGeminiShell(output);
  const skill = name === 'activate_skill' && isFields(args) ? args['name'] : undefined;
  return { failed: false, text: output, skill };
}

/** The answer in `[{functionResponse: {response}}]`. */
function responseOf(result: unknown): Fields {
  const [first] = listAt({ result }, 'result');
  return first === undefined ? {} : fieldsAt(fieldsAt(first, 'functionResponse'), 'response');
}
