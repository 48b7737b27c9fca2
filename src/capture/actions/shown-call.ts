import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { LONGEST_SHOWN_CALL, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { withSettings } from '../../learning/calls/argument-tokens.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import { shownWord, withNamedPlaceholders } from './shown-placeholder.js';

/** Operators that end a command; the words after them belong to the next one. */
const OPERATOR = /^(?:&&|\|\|?|;|&)$/;
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['content', 'file text'],
  ['contents', 'file text'],
  ['file_text', 'file text'],
  ['new_source', 'file text'],
  ['old_string', 'old text'],
  ['old_str', 'old text'],
  ['new_string', 'new text'],
  ['new_str', 'new text'],
  ['insert_text', 'new text'],
  ['prompt', 'prompt'],
  ['message', 'message'],
  ['body', 'body'],
  ['title', 'title'],
  ['description', 'description'],
  ['code', 'code'],
  ['script', 'code'],
  ['patch', 'patch'],
  ['diff', 'patch'],
]);

/** Arguments whose name says what goes there. Others may hold a text of any kind. */
const NAMES_ITSELF = /^(?=.{2,30}$)(?:[a-z][a-z0-9]{0,19} ){0,3}(?:id|uuid|name|number|email|phone|address|date)$/;

/**
 * The call as a lesson may show it: the command line of a shell, or the arguments of another tool as JSON. What the
 * report does not hold becomes a placeholder that says what goes there. Undefined if the call is empty or too long.
 */
export function shownCall({ name, action, arguments: args }: ToolCall): ShownCall | undefined {
  const isShell = isShellTool(name);
  const call = (isShell ? withSettings(shownCommand(action), args) : shownArguments(action, args)).trim();
  if (call === '' || call.length > LONGEST_SHOWN_CALL) return undefined;
  return { tool: isShell ? 'shell' : name.slice(0, 80).trim(), call };
}

function shownCommand(action: string): string {
  const words = wordsOfLine(action);
  let start = 0;
  return words
    .map((word, at) => {
      if (OPERATOR.test(word)) start = at + 1;
      return shownWord(word, words.slice(start, at));
    })
    .join(' ');
}

function shownArguments(action: string, args: readonly CallArgument[] | undefined): string {
  if (args !== undefined) return JSON.stringify(Object.fromEntries(args.map(shownArgument)));
  const parsed = action.startsWith('{') ? parseJson(action) : undefined;
  if (typeof parsed === 'object' && parsed !== null)
    return JSON.stringify(Object.fromEntries(Object.entries(parsed).map(([key, value]) => shownField(key, value))));
  return action.trim() === '' ? '{}' : withNamedPlaceholders(action.trim());
}

function shownArgument({ key, type, value }: CallArgument): [string, unknown] {
  const name = shownKey(key);
  if (value === undefined) return [name, `<${nameOfRemoved(key, type)}>`];
  if (type === 'text') return [name, withNamedPlaceholders(value)];
  // the value of another type is its JSON
  return [name, withNamesInside(parseJson(value) ?? (value === 'null' ? null : value))];
}

/** What goes in the place of a value that the report does not hold: `<order id>` for `order_id`. */
function nameOfRemoved(key: string, type: CallArgument['type']): string {
  if (type !== 'text' && type !== 'number') return type;
  const words = key
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .toLowerCase();
  return NAMES_ITSELF.test(words) ? words : type === 'text' ? (TEXTS.get(key) ?? 'text') : type;
}

/** A field of an action of older reports: the shape of its value, as a text. */
function shownField(key: string, value: unknown): [string, unknown] {
  const name = shownKey(key);
  if (value === '[text]') return [name, `<${TEXTS.get(key) ?? 'text'}>`];
  return [name, value === 'true' || value === 'false' ? value === 'true' : withNamesInside(value)];
}

function shownKey(key: string): string {
  return key === '[text]' ? '<name>' : key;
}

function withNamesInside(value: unknown): unknown {
  if (typeof value === 'string') return withNamedPlaceholders(value);
  return typeof value === 'object' && value !== null ? parseJson(withNamedPlaceholders(JSON.stringify(value))) : value;
}
