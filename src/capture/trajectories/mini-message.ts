import { parseJson } from '../../platform/base/parse-json.js';
import { contentText, isFields } from '../importers/json-fields.js';
import type { CallResult } from '../importers/product-session.js';
import { readUnmarked } from '../importers/unmarked-failure.js';
import { readExitCode } from '../transcripts/marked-exit.js';
import { MiniAction, type MiniMessage, MiniToolCall } from './mini-swe-agent.schema.js';

export interface MiniCommand {
  readonly command: string;
  readonly id?: string | undefined;
}

/** What ends a run: the harness reads it in the first line of an output. */
const SUBMISSION = /\b(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)\b/;
/** Openings and ends of an action in a text, of all versions. */
const FENCES = [
  ['```mswea_bash_command\n', '\n```'],
  ['```bash\n', '\n```'],
  ['<mswea_bash_command>', '</mswea_bash_command>'],
] as const;
const FORMAT_ERROR =
  /^\s{0,20}(?:Format error:|Tool call error:|Please always provide EXACTLY ONE action|Your previous response reached the output token limit)/i;
const REJECTED = /^\s{0,20}Commands? not executed\b/;
const NOT_RUN = /^action was not executed/;
const RETURN_CODE = /<returncode>(-?\d{1,5})<\/returncode>/;
const TIMED_OUT = /^The last command <command>/;

export const isSubmission = ({ command }: MiniCommand): boolean => SUBMISSION.test(command);

/** True for text that only this harness writes: what ends a run, or the exit code of a command. */
export const isMiniText = (text: string): boolean => SUBMISSION.test(text) || text.startsWith('<returncode>');

/** A reply of the model, in any API. A person can give commands too. */
export const isReply = ({ role, output, extra }: MiniMessage): boolean =>
  role === 'assistant' || (role === undefined && (Array.isArray(output) || extra?.actions !== undefined));

/** The commands of a reply: as the harness read them, as the model called the tool, or as they stand in the text. */
export function commandsIn({ extra, tool_calls, content }: MiniMessage): MiniCommand[] {
  if (extra?.actions !== undefined)
    return extra.actions.flatMap((action) => {
      const { data } = MiniAction.safeParse(action);
      return data === undefined ? [] : [{ command: data.command, id: data.tool_call_id }];
    });
  const called = (tool_calls ?? []).flatMap((call) => {
    const { data } = MiniToolCall.safeParse(call);
    const input = data === undefined ? undefined : parseJson(data.function.arguments);
    return isFields(input) && typeof input['command'] === 'string' ? [{ command: input['command'], id: data?.id }] : [];
  });
  return called.length > 0 ? called : fencedIn(contentText(content));
}

function fencedIn(text: string): MiniCommand[] {
  const fence = FENCES.find(([open]) => text.includes(open));
  if (fence === undefined) return [];
  const [open, close] = fence;
  const found: MiniCommand[] = [];
  for (let at = text.indexOf(open); at >= 0; ) {
    const from = at + open.length;
    // an empty action ends with the line end of its opening
    const end = text.indexOf(close, from - (close.startsWith('\n') ? 1 : 0));
    if (end < 0) break;
    found.push({ command: text.slice(from, Math.max(from, end)).trim() });
    at = text.indexOf(open, end + close.length);
  }
  return found;
}

/** True for the answer to a reply that was no valid one, so that nothing of it ran. */
export const isFormatError = (text: string): boolean => FORMAT_ERROR.test(text.slice(0, 1_000));

/** Why no command of the last reply ran: it was no valid reply, or a person refused it. */
export function refusalIn({ extra, content }: MiniMessage): 'format' | 'person' | undefined {
  const text = contentText(content).slice(0, 1_000);
  if (extra?.interrupt_type === 'FormatError' || isFormatError(text)) return 'format';
  return extra?.interrupt_type === 'UserRejection' || REJECTED.test(text) ? 'person' : undefined;
}

export const isInterruption = ({ extra, content }: MiniMessage): boolean =>
  extra?.interrupt_type === 'UserInterruption' ||
  /^\s{0,20}Interrupted by user/.test(contentText(content).slice(0, 200));

/** The result of a command, with whether its exit code was seen. */
export function resultIn({ extra, content, output }: MiniMessage, command: string): CallResult & { isMarked: boolean } {
  const text = contentText(content ?? output);
  const printed = extra?.raw_output ?? outputIn(text);
  const said = RETURN_CODE.exec(text.slice(0, 20_000))?.[1];
  const code = extra?.returncode ?? (said === undefined ? undefined : Number(said));
  const exception = extra?.exception_info ?? between(text, '<exception>', '</exception>') ?? '';
  if (NOT_RUN.test(exception)) return { failed: true, refused: true, text: exception, isMarked: true };
  // what could not be run is named with its command, which can hold anything
  if (exception !== '')
    return { failed: true, text: `${withoutCommand(exception, command)}\n${printed}`.trim(), isMarked: true };
  if (TIMED_OUT.test(text)) return { failed: true, text: `The last command timed out\n${printed}`, isMarked: true };
  if (code !== undefined) return { ...readExitCode(code, printed), isMarked: true };
  return { ...readUnmarked('bash', text.replace(/^Observation: /, '')), isMarked: false };
}

function withoutCommand(exception: string, command: string): string {
  const limit = /timed out after (\d{1,9}(?:\.\d{1,9})?) seconds/.exec(exception.slice(-200))?.[1];
  return limit === undefined ? exception.replaceAll(command, '[command]') : `Timed out after ${limit} seconds`;
}

/** What a command printed: all, or its head and its tail. */
function outputIn(text: string): string {
  const parts = ['output', 'output_head', 'output_tail'].map((tag) => between(text, `<${tag}>`, `</${tag}>`));
  const found = parts.filter((part) => part !== undefined);
  return (found.length === 0 ? text.replace(RETURN_CODE, '') : found.join('\n')).replace(/^\n/, '');
}

/** The text between the first opening and the last end; to the end of the text if that was cut. */
function between(text: string, open: string, close: string): string | undefined {
  const at = text.indexOf(open);
  if (at < 0) return undefined;
  const end = text.lastIndexOf(close);
  return text.slice(at + open.length, end > at ? end : undefined);
}
