import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { contentText, type Fields, fieldsAt, listAt, messageAt, textAt } from '../importers/json-fields.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { readCopilotShell, readExitCode, readGeminiShell } from '../transcripts/marked-exit.js';
import { withoutContext, withoutQuotes } from '../transcripts/prompt-text.js';
import type { ClaudeEvent } from './hook.schema.js';

/** Codex sends one event for success and failure, with the output as plain text and without an exit code. */
export function codexFields(event: ClaudeEvent, body: Fields): Fields {
  const { tool_response: response } = body;
  if (event !== 'PostToolUse' || typeof response !== 'string') return { ...body, hook_event_name: event };
  const { failed, text } = readUnmarked(textAt(body, 'tool_name') ?? '', response);
  return { ...body, ...callResult(failed, text, response), ran: true };
}

/** Gemini CLI calls a command that failed a success; the text for the model names its exit code. */
export function geminiFields(event: ClaudeEvent, body: Fields): Fields {
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
export function openCodeFields(event: ClaudeEvent, body: Fields): Fields | undefined {
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
export function copilotFields(event: ClaudeEvent, body: Fields): Fields {
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

/** The texts of a message, without those that a program added. */
function promptIn(message: Fields): string | undefined {
  const texts = listAt(message, 'parts').flatMap((part) =>
    part['synthetic'] === true ? [] : (textAt(part, 'text') ?? []),
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}
