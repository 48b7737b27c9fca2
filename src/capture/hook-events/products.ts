import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { contentText, type Fields, fieldsAt, isFields, listAt, messageAt, textAt } from '../importers/json-fields.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { readCopilotShell, readExitCode, readGeminiShell } from '../transcripts/marked-exit.js';
import { withoutContext, withoutQuotes } from '../transcripts/prompt-text.js';
import { CLAUDE_EVENTS, type ClaudeEvent, HookPayload } from './hook.schema.js';

/**
 * A call that failed or worked. The output stands where Claude Code has the streams of its shell, so that nothing decides
 * by the text again.
 */
const callResult = (failed: boolean, error: string, output: string): Fields =>
  failed
    ? { hook_event_name: 'PostToolUseFailure', error, tool_response: undefined }
    : { hook_event_name: 'PostToolUse', tool_response: { stdout: output, stderr: '' } };

/** Fields that products without Claude's names share with it. */
const common = ({ cwd, model, agent_id: agent }: Fields): Fields => ({ cwd, model, agent_id: agent });

/** The agent products whose hooks are understood, as they stand in the address of their events. */
export const HOOK_PRODUCTS = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type HookProduct = (typeof HOOK_PRODUCTS)[number];

export const isHookProduct = (product: string): product is HookProduct =>
  HOOK_PRODUCTS.some((known) => known === product);

const sameNames = CLAUDE_EVENTS.map((event): [string, ClaudeEvent] => [event, event]);

/** The events of a product by its own names and by Claude's, which its plugin may use. */
const EVENTS: Readonly<Record<HookProduct, ReadonlyMap<string, ClaudeEvent>>> = {
  'claude-code': new Map(sameNames),
  codex: new Map(sameNames),
  gemini: new Map([
    ...sameNames,
    ['BeforeAgent', 'UserPromptSubmit'],
    ['BeforeTool', 'PreToolUse'],
    ['AfterTool', 'PostToolUse'],
    ['AfterAgent', 'Stop'],
  ]),
  opencode: new Map([
    ...sameNames,
    ['session.created', 'SessionStart'],
    ['chat.message', 'UserPromptSubmit'],
    ['tool.execute.before', 'PreToolUse'],
    ['tool.execute.after', 'PostToolUse'],
    ['message.part.updated', 'PostToolUseFailure'],
    ['session.idle', 'Stop'],
    // A plugin sees only that a turn ended, so no event ends a session of OpenCode.
    ['SessionEnd', 'Stop'],
  ]),
  copilot: new Map([
    ...sameNames,
    ['sessionStart', 'SessionStart'],
    ['userPromptSubmitted', 'UserPromptSubmit'],
    ['preToolUse', 'PreToolUse'],
    ['postToolUse', 'PostToolUse'],
    ['postToolUseFailure', 'PostToolUseFailure'],
    ['subagentStart', 'SubagentStart'],
    ['subagentStop', 'SubagentStop'],
    ['agentStop', 'Stop'],
    ['sessionEnd', 'SessionEnd'],
  ]),
};

const READERS: Readonly<Record<HookProduct, (event: ClaudeEvent, body: Fields) => Fields | undefined>> = {
  'claude-code': (event, body) => ({ ...body, hook_event_name: event }),
  codex: codexFields,
  gemini: geminiFields,
  opencode: openCodeFields,
  copilot: copilotFields,
};

/**
 * An event of any product in the words of Claude Code. `PostToolUseFailure` is a call that failed, with its text as
 * `error`; `PostToolUse` is a call that worked.
 */
export interface ProductHook extends HookPayload {
  /** Set if the product reports only calls that ran. */
  readonly ran?: boolean;
  /** When the event was sent, in any form. Only compared. */
  readonly sentAt?: string;
  /** The address of the project's git remote, if the caller knows it. Only its owner and name are kept. */
  readonly origin?: string;
}

/**
 * The event of a product's hook in the words of Claude Code, with the decision whether its call failed. `event`: as in
 * the address. Undefined for an unknown event, and for a body without a session.
 */
export function hookPayloadOf(product: HookProduct, event: string, body: unknown): ProductHook | undefined {
  const name = EVENTS[product].get(event);
  const fields = name === undefined || !isFields(body) ? undefined : READERS[product](name, body);
  const parsed = HookPayload.safeParse(fields);
  if (!parsed.success) return undefined;
  const sentAt = isFields(body) ? body['timestamp'] : undefined;
  return {
    ...parsed.data,
    ...(fields?.['ran'] === true ? { ran: true } : {}),
    ...(typeof sentAt === 'string' || typeof sentAt === 'number' ? { sentAt: String(sentAt).slice(0, 100) } : {}),
  };
}

/** Codex sends one event for success and failure, with the output as plain text and without an exit code. */
function codexFields(event: ClaudeEvent, body: Fields): Fields {
  const { tool_response: response } = body;
  if (event !== 'PostToolUse' || typeof response !== 'string') return { ...body, hook_event_name: event };
  const { failed, text } = readUnmarked(textAt(body, 'tool_name') ?? '', response);
  return { ...body, ...callResult(failed, text, response), ran: true };
}

/** Gemini CLI calls a command that failed a success; the text for the model names its exit code. */
function geminiFields(event: ClaudeEvent, body: Fields): Fields {
  const prompt = textAt(body, 'prompt');
  const fields = {
    ...body,
    hook_event_name: event,
    ...(prompt === undefined ? {} : { prompt: withoutContext(prompt) }),
  };
  if (event !== 'PostToolUse') return fields;
  const response = fieldsAt(body, 'tool_response');
  const content = contentText(response['llmContent']);
  const problem = messageAt(response, 'error');
  if (problem !== undefined) return { ...fields, ...callResult(true, problem, '') };
  const isShell = isShellTool(textAt(body, 'tool_name') ?? '');
  const { failed, text } = isShell ? readGeminiShell(content) : { failed: false, text: content };
  return { ...fields, ...callResult(failed, text, text), ran: true };
}

/**
 * A plugin of OpenCode hands on the arguments of its functions, or their values under Claude's names. A tool that failed
 * without a result is a part of a message; undefined for every other part.
 */
function openCodeFields(event: ClaudeEvent, body: Fields): Fields | undefined {
  const input = { ...body, ...fieldsAt(body, 'properties'), ...fieldsAt(body, 'input') };
  const part = fieldsAt(input, 'part');
  const prompt = textAt(body, 'prompt') ?? promptIn(fieldsAt(body, 'output')) ?? promptIn(body);
  const fields = {
    hook_event_name: event,
    session_id:
      textAt(input, 'session_id', 'sessionID') ?? textAt(part, 'sessionID') ?? textAt(fieldsAt(input, 'info'), 'id'),
    ...common(body),
    ...(prompt === undefined ? {} : { prompt: withoutQuotes(prompt) }),
  };
  if (event === 'PostToolUseFailure') {
    const state = fieldsAt(part, 'state');
    const call = { tool_name: textAt(part, 'tool'), tool_use_id: textAt(part, 'callID'), tool_input: state['input'] };
    return state['status'] === 'error' ? { ...fields, ...call, error: messageAt(state, 'error') ?? '' } : undefined;
  }
  const output = fieldsAt(body, 'output');
  const call = {
    tool_name: textAt(input, 'tool_name', 'tool'),
    tool_use_id: textAt(input, 'tool_use_id', 'callID'),
    tool_input: input['tool_input'] ?? input['args'] ?? output['args'],
  };
  return { ...fields, ...call, ...(event === 'PostToolUse' ? openCodeResult(body, output) : {}) };
}

function openCodeResult(body: Fields, output: Fields): Fields {
  const text = textAt(body, 'tool_response', 'output') ?? textAt(output, 'output') ?? '';
  const metadata = { ...fieldsAt(body, 'metadata'), ...fieldsAt(output, 'metadata') };
  const code = body['exit_code'] ?? metadata['exit'];
  const { failed, text: read } = readExitCode(typeof code === 'number' ? code : 0, text);
  return { ...callResult(failed, read, read), ran: true };
}

/** Copilot CLI calls a command that failed a success; its text ends with the exit code. */
function copilotFields(event: ClaudeEvent, body: Fields): Fields {
  const input = body['toolArgs'] ?? body['tool_input'];
  const fields = {
    hook_event_name: event,
    session_id: textAt(body, 'sessionId', 'session_id'),
    prompt: textAt(body, 'prompt', 'initialPrompt'),
    tool_name: textAt(body, 'toolName', 'tool_name'),
    tool_use_id: textAt(body, 'toolCallId', 'tool_use_id'),
    tool_input: typeof input === 'string' ? (parseJson(input) ?? input) : input,
    ...common(body),
  };
  if (event !== 'PostToolUse' && event !== 'PostToolUseFailure') return fields;
  const result = fieldsAt(body, 'toolResult');
  const { failed, text } = readCopilotShell(textAt(result, 'textResultForLlm') ?? messageAt(body, 'error') ?? '');
  const isSuccess = event === 'PostToolUse' && (textAt(result, 'resultType') ?? 'success') === 'success';
  return { ...fields, ...callResult(failed || !isSuccess, text, text), ...(isSuccess ? { ran: true } : {}) };
}

/** The texts of a message, without those that a program added. */
function promptIn(message: Fields): string | undefined {
  const texts = listAt(message, 'parts').flatMap((part) =>
    part['synthetic'] === true ? [] : (textAt(part, 'text') ?? []),
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}
