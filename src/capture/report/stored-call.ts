import { optional } from '../../platform/base/optional.js';
import { UNSCANNABLE } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { decisiveLine } from '../errors/decisive-line.js';
import { clipErrorText } from '../errors/error-text.js';
import { sourceOfCall, type TextSource } from '../errors/text-source.js';
import { isContentArgument, isPathArgument } from './content-argument.js';
import { type CallArgument, REPORT_LIMITS, type ToolCall } from './execution-report.schema.js';

/** Names that JavaScript gives a meaning. They are refused as keys of a body, and left out as names of arguments. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const ARGUMENT_NAME = /^[\p{L}_$-][\p{L}\p{N}_.$[\]-]{0,79}$/u;
const FILE_KIND = /^\.[A-Za-z0-9]{1,10}$/;

/** A shell takes the backslashes of an unquoted path away, and with them what tells that a person's name is in it. */
const WINDOWS_HOME =
  /(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}(?:[^\\/\s"'`]{1,40} (?=[^\\/\s"'`]{1,40}[\\/]))?[^\\/\s"'`]{1,80}/gi;

/**
 * The redacted call with what may be stored of it: of an error only its lines, of an argument that is content only its
 * type, length and kind of file, of another one a value without private parts. The call itself if nothing is to be done.
 */
export function storedCall(call: ToolCall): ToolCall {
  const { errorMessage, errorLine, arguments: args, ...rest } = call;
  const action = call.action.replace(WINDOWS_HOME, '~');
  const source = sourceOfCall(call.name, call.action);
  const message = storedError(errorMessage, source);
  const line = errorLine === undefined ? undefined : decisiveLine(errorLine, undefined, source);
  const stored = args === undefined ? undefined : storedArguments(call.name, args);
  if (action === call.action && message === errorMessage && line === errorLine && isSame(args, stored)) return call;
  return {
    ...rest,
    action,
    ...optional('errorMessage', message),
    ...optional('errorLine', line),
    ...optional('arguments', stored),
  };
}

/** The lines of an error text that may be stored. A text that was withheld as a whole says so. */
export function storedError(message: string | undefined, source: TextSource): string | undefined {
  return message === undefined || message === UNSCANNABLE ? message : clipErrorText(message, false, source);
}

/** The call within the bounds of its schema. What becomes empty is left out, but for the name, without which it says nothing. */
export function callWithinBounds(call: ToolCall): ToolCall {
  const { id, action, category, errorMessage, errorLine } = REPORT_LIMITS;
  const { errorCategory, errorMessage: message, errorLine: line, arguments: args, ...rest } = call;
  return {
    ...rest,
    name: clip(call.name, id),
    action: clip(call.action, action),
    ...filled('errorCategory', errorCategory, category),
    ...(message === undefined ? {} : { errorMessage: clip(message, errorMessage) }),
    ...filled('errorLine', line, errorLine),
    ...optional('arguments', args?.flatMap(argumentWithinBounds)),
  };
}

/** The property with its text cut to the bound; none if the text is absent or empty. */
export function filled<K extends string>(key: K, text: string | undefined, max: number): { [P in K]?: string } {
  const cut = text === undefined ? '' : clip(text.trim(), max).trim();
  // The computed key is K, which the compiler widens to string.
  return (cut === '' ? {} : { [key]: cut }) as { [P in K]?: string };
}

function argumentWithinBounds(argument: CallArgument): CallArgument[] {
  const { key, value, fileKind, ...rest } = argument;
  const { argumentKey, argumentValue } = REPORT_LIMITS;
  const name = filled('key', key, argumentKey).key;
  if (name === undefined) return [];
  return [
    {
      ...rest,
      key: name,
      ...(value === undefined ? {} : { value: clip(value, argumentValue) }),
      ...filled('fileKind', fileKind, REPORT_LIMITS.fileKind),
    },
  ];
}

function storedArguments(tool: string, args: readonly CallArgument[]): CallArgument[] {
  const kind = fileKindIn(args);
  return args.flatMap((argument) => {
    const { value, length, fileKind, ...rest } = argument;
    if (PROTOTYPE_KEYS.has(argument.key)) return [];
    const isContent = value !== undefined && isContentArgument(tool, argument);
    const measured = isContent ? (length ?? value.length) : length;
    const about = fileKind ?? (isContent ? kind : undefined);
    return [
      {
        ...rest,
        key: isName(argument.key) ? argument.key : '[text]',
        ...(value === undefined || isContent ? {} : { value: generalise(value) }),
        ...optional('length', measured),
        ...(about !== undefined && FILE_KIND.test(about) ? { fileKind: about } : {}),
      },
    ];
  });
}

const isName = (key: string): boolean => ARGUMENT_NAME.test(key) && generalise(key) === key;

/** The extension of the file that a call is about. */
function fileKindIn(args: readonly CallArgument[]): string | undefined {
  const path = args.find(({ key, value }) => value !== undefined && isPathArgument(key))?.value;
  return path === undefined ? undefined : /\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(path.slice(-60))?.[0].toLowerCase();
}

function isSame(before: readonly CallArgument[] | undefined, after: readonly CallArgument[] | undefined): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
