import { detached } from '../../platform/base/detached.js';
import { present } from '../../platform/base/optional.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { clip } from '../../untrusted/text/clip.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import { callArguments } from '../actions/call-arguments.js';
import { normaliseCommand } from '../actions/normalised-command.js';
import { normaliseToolInput } from '../actions/tool-action.js';
import { decisiveLine } from '../errors/decisive-line.js';
import { errorClass } from '../errors/error-class.js';
import { clipErrorText } from '../errors/error-text.js';
import { wasRefused } from '../errors/refused-call.js';
import { EXECUTION_END, sourceOfCall } from '../errors/text-source.js';
import { REPORT_LIMITS, type ToolCall } from '../report/execution-report.schema.js';
import { commandOf } from './task-sources.js';

/** One tool call of a foreign record with its result. Raw: it must not leave the importer unchanged. */
export interface RawCall {
  /** As the record gives it; other calls can have the same. */
  readonly id?: string | undefined;
  /** What names its record in all copies, where the time does not. */
  readonly record?: unknown;
  readonly name: string;
  readonly input: unknown;
  readonly at: string;
  /** The reply of the model that asked for the call, under any id that its calls share. */
  readonly reply?: string | undefined;
  /** Set if its record has a name: then a copy of it has the same key. */
  readonly isNamed?: true;
  /** Set if records between the call before and this one were lost. */
  readonly afterHole?: true;
  /** Set if its result may be among records that were lost. */
  isCut?: boolean;
  result?: {
    readonly failed: boolean;
    /** Set if the record says that the call was refused. */
    readonly refused?: boolean;
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
/** The largest number of calls of one reply that a report can hold. */
const MAX_REPLY = 10_000;

/**
 * The text, at most `max` characters long. A longer text is redacted before it is cut, because half a secret would not
 * be recognised.
 */
export function redactAndClip(text: string, max: number): string {
  return text.length <= max ? text : clip(redact(text).text, max);
}

/** What the whole record says about its calls. */
export interface CallContext {
  /** Lines that successful calls print as well: no reason for a failure. */
  readonly notices?: ReadonlySet<string>;
  /** Owners of the home folders in the record, in lower case. */
  readonly owners?: readonly string[];
}

/** A call without a result says nothing, unless that was lost: then the call was made. */
export const isReported = ({ result, isCut }: RawCall): boolean => result !== undefined || isCut === true;

/** The calls that a report has, each with its place in the reply that asked for it. */
export function toolCallsOf(calls: readonly RawCall[], context: CallContext = {}): ToolCall[] {
  const sizes = new Map<string, number>();
  const positions = calls.map(({ reply }) => {
    if (reply === undefined) return 0;
    const position = (sizes.get(reply) ?? 0) + 1;
    sizes.set(reply, position);
    return position;
  });
  // a hole stays one if the call behind it is left out
  let isAfterHole = false;
  return calls.flatMap((call, at) => {
    isAfterHole ||= call.afterHole === true;
    if (!isReported(call)) return [];
    const hole: Pick<ToolCall, 'afterHole'> = isAfterHole ? { afterHole: true } : {};
    isAfterHole = false;
    const position = positions[at] ?? 0;
    const size = sizes.get(call.reply ?? '') ?? 0;
    const isBounded = position > 0 && size <= MAX_REPLY;
    return [{ ...toolCallOf(call, context), ...(isBounded ? { reply: { position, calls: size } } : {}), ...hole }];
  });
}

function toolCallOf(call: RawCall, context: CallContext): ToolCall {
  const { result } = call;
  const name = redactAndClip(call.name.trim(), REPORT_LIMITS.id) || 'unnamed';
  const duration = result?.durationMs ?? (result === undefined ? -1 : Date.parse(result.at) - Date.parse(call.at));
  const input = inputWithoutOwners(call.input, context.owners ?? []);
  const args = callArguments(call.name, input);
  return {
    name,
    action: normalisedAction(call.name, input),
    ok: result?.failed !== true,
    ...(result?.failed === true ? failureFields(call.name, result.text, context) : {}),
    ...present({
      durationMs: duration >= 0 && duration <= MAX_DURATION_MS ? Math.round(duration) : undefined,
      arguments: args.length === 0 ? undefined : args,
      ran: hasRun(call),
      resultLost: result === undefined || undefined,
    }),
  };
}

/** Undefined if the record does not say. */
function hasRun({ name, result }: RawCall): boolean | undefined {
  if (result === undefined) return undefined;
  if (!result.failed) return true;
  if (result.refused === true || wasRefused(result.text)) return false;
  return isShellTool(name) && /^(?:Error: )?Exit code \d/.test(result.text) ? true : undefined;
}

function failureFields(tool: string, text: string, { notices, owners = [] }: CallContext): Partial<ToolCall> {
  const clean = withoutOwners(text, owners);
  return { ...errorFields(tool, clean), ...present({ errorLine: errorLineIn(tool, clean, notices) }) };
}

/** The line that says why a call failed, redacted, without folders, hosts and people. */
export function errorLineIn(tool: string, text: string, notices?: ReadonlySet<string>): string | undefined {
  return decisiveLine(redact(examinedPart(text)).text, notices, sourceOfCall(tool));
}

/** The text of a failed call, as much of it as is examined. The record that holds it is released. */
export const keptError = (text: string): string => detached(examinedPart(text));

// errors are at the start or the end, so the middle can be cut
function examinedPart(text: string): string {
  return text.length <= MAX_ERROR ? text : `${text.slice(0, MAX_ERROR / 2)}\n${text.slice(-MAX_ERROR / 2)}`;
}

/** The text without the names of the users whose home folders the record names. */
function withoutOwners(text: string, owners: readonly string[]): string {
  return owners.reduce((rest, owner) => {
    const name = owner.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return rest.replace(new RegExp(`(?<![\\p{L}\\p{N}_-])${name}(?![\\p{L}\\p{N}_-])`, 'giu'), '[user]');
  }, text);
}

function inputWithoutOwners(input: unknown, owners: readonly string[]): unknown {
  return owners.length === 0 ? input : mapStrings(input, (text) => withoutOwners(text, owners));
}

/** The call's action in normalised form, without the texts in its arguments. */
export function normalisedAction(tool: string, input: unknown): string {
  if (!isShellTool(tool)) return normaliseToolInput(tool, input);
  // Redacted first: the rules need the quotes and line ends that the normalised form lacks.
  return normaliseCommand(redact(commandOf(input)).text);
}

/**
 * The error class of a failed call, and the part of its text that a report may hold. An empty `tool`: the message of an
 * execution that failed.
 */
export function errorFields(tool: string, text: string): Pick<ToolCall, 'errorCategory' | 'errorMessage'> {
  // redacted as a whole before it is clipped
  const clean = redact(examinedPart(text)).text;
  return {
    errorCategory: errorClass(clean).name.slice(0, REPORT_LIMITS.category),
    errorMessage: clipErrorText(clean, QUOTING_TOOLS.test(tool), tool === '' ? EXECUTION_END : sourceOfCall(tool)),
  };
}

/** The number of calls that exactly repeat a call that failed before, with no hole between them. */
export function countRetries(
  calls: readonly { readonly key: string; readonly failed: boolean; readonly afterHole?: true | undefined }[],
): number {
  const failed = new Set<string>();
  let retries = 0;
  for (const call of calls) {
    if (call.afterHole === true) failed.clear();
    if (failed.has(call.key)) retries += 1;
    if (call.failed) failed.add(call.key);
  }
  return retries;
}

/** The retries among calls of which all that is left is what a report holds. */
export const retriesOfReported = (calls: readonly ToolCall[]): number =>
  countRetries(calls.map(({ name, action, ok, afterHole }) => ({ key: `${name}\n${action}`, failed: !ok, afterHole })));

export const retriesOf = (calls: readonly RawCall[]): number =>
  countRetries(
    calls.map(({ name, input, result, afterHole }) => ({
      key: JSON.stringify([name, input]),
      failed: result?.failed === true,
      afterHole,
    })),
  );
