import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { isShellTool } from '../actions/action.js';
import { normaliseCommand } from '../actions/normalised-command.js';
import { normaliseToolInput } from '../actions/tool-action.js';
import { errorClass } from '../errors/error-class.js';
import { clipErrorText } from '../errors/error-text.js';
import { sourceOfCall } from '../errors/text-source.js';
import { REPORT_LIMITS, type ToolCall } from '../report/execution-report.schema.js';
import { commandOf } from './task-sources.js';

/** One tool call of a foreign record with its result. Raw: it must not leave the importer unchanged. */
export interface RawCall {
  readonly name: string;
  readonly input: unknown;
  readonly at: string;
  result?: {
    readonly failed: boolean;
    /** Set for failed calls only; the output of a successful call is never kept. */
    readonly text: string;
    readonly at: string;
    /** Set if the record names a duration. */
    readonly durationMs?: number;
  };
}

/** Tools whose errors quote the file or page after their first line. */
const QUOTING_TOOLS =
  /^(?:Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead|Grep|Glob|LS|WebFetch|WebSearch|apply_patch|view_image|(?:read|edit|write|view|open|create)_[a-z_]{1,40}|str_replace[a-z_]{0,40}|mcp__.{0,200})$/;

const MAX_DURATION_MS = 1_000_000;
const MAX_ERROR = 60_000;

/**
 * The text, at most `max` characters long. A longer text is redacted before it is cut, because half a secret would not
 * be recognised.
 */
export function redactAndClip(text: string, max: number): string {
  return text.length <= max ? text : clip(redact(text).text, max);
}

export function toolCallOf(call: RawCall): ToolCall {
  const { result } = call;
  const name = redactAndClip(call.name.trim(), REPORT_LIMITS.id) || 'unnamed';
  const duration = result?.durationMs ?? (result === undefined ? -1 : Date.parse(result.at) - Date.parse(call.at));
  return {
    name,
    action: normalisedAction(call.name, call.input),
    ok: result?.failed !== true,
    ...(result?.failed === true ? errorFields(call.name, result.text) : {}),
    ...(duration >= 0 && duration <= MAX_DURATION_MS ? { durationMs: Math.round(duration) } : {}),
  };
}

/** The call's action in normalised form, without the texts in its arguments. */
export function normalisedAction(tool: string, input: unknown): string {
  if (!isShellTool(tool)) return normaliseToolInput(tool, input);
  // Redacted first: the rules need the quotes and line ends that the normalised form lacks.
  return normaliseCommand(redact(commandOf(input)).text);
}

/** The error class of a failed call, and the part of its text that a report may hold. */
export function errorFields(tool: string, text: string): Pick<ToolCall, 'errorCategory' | 'errorMessage'> {
  // errors are at the start or the end, so the middle can be cut; the rest is redacted as a whole before it is clipped
  const examined = text.length <= MAX_ERROR ? text : `${text.slice(0, MAX_ERROR / 2)}\n${text.slice(-MAX_ERROR / 2)}`;
  const clean = redact(examined).text;
  return {
    errorCategory: errorClass(clean).name.slice(0, REPORT_LIMITS.category),
    errorMessage: clipErrorText(clean, QUOTING_TOOLS.test(tool), sourceOfCall(tool)),
  };
}

/** The number of calls that exactly repeat a call that failed before. */
export function countRetries(calls: readonly { readonly key: string; readonly failed: boolean }[]): number {
  const failed = new Set<string>();
  let retries = 0;
  for (const call of calls) {
    if (failed.has(call.key)) retries += 1;
    if (call.failed) failed.add(call.key);
  }
  return retries;
}

export const retriesOf = (calls: readonly RawCall[]): number =>
  countRetries(
    calls.map(({ name, input, result }) => ({ key: JSON.stringify([name, input]), failed: result?.failed === true })),
  );
