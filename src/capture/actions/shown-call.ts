import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { LONGEST_SHOWN_CALL, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { withSettings } from '../../learning/calls/argument-tokens.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import { basename, isPython, locateProgram } from './program.js';

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

/** What stands for each kind of value that a report does not hold. */
const NAMES: Readonly<Record<string, string>> = {
  path: 'folder',
  dir: 'folder',
  url: 'url',
  host: 'host',
  email: 'email',
  user: 'user',
  code: 'code',
  text: 'text',
  value: 'value',
  var: 'value',
  word: 'name',
  glob: 'files',
  hash: 'hash',
  id: 'id',
  n: 'number',
  number: 'number',
  list: 'list',
  object: 'object',
  boolean: 'true or false',
};
const STORED = /\[(path|dir|url|host|email|user|code|text|value|var|word|glob|hash|id|n|number|list|object|boolean)\]/g;
const FILE = /\[(?:file|script):(\.[a-z0-9]{1,8})\]/g;
const SECRET = /\[REDACTED:[a-z0-9-]{1,64}\]/g;
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['commit', 'commit message'],
  ['tag', 'tag message'],
  ['merge', 'commit message'],
]);
const QUERY_PROGRAMS = /^(?:psql|mysql|mariadb|sqlite3|duckdb|bq)$/;

/** The text with a named placeholder for each stored one: `[path]/a.py` is `<folder>/a.py`. */
export function withNamedPlaceholders(text: string): string {
  return text
    .replace(SECRET, '<secret>')
    .replace(FILE, '<file>$1')
    .replace(STORED, (_, kind: string) => `<${NAMES[kind] ?? 'value'}>`);
}

/**
 * One word of a normalised command with a placeholder that says what goes in its place. `before`: the words in front of
 * it.
 */
function shownWord(word: string, before: readonly string[]): string {
  if (!word.includes('[')) return word;
  const index = locateProgram(before);
  const program = basename(before[index] ?? '');
  if (word === '<<[code]') return `<<EOF <${documentName(program)}> EOF`;
  const [, redirect, target] = /^(\d?(?:>>?|<))(\[.*)$/.exec(word) ?? [];
  if (redirect !== undefined && target !== undefined) return `${redirect} ${withNamedPlaceholders(target)}`;
  const [, name = '', placeholder = ''] =
    /^(?:(--?[\w-]{1,40}|\w{1,60})=)?\[(text|code|value|hash|url)\]$/.exec(word) ?? [];
  if (placeholder === '') return withNamedPlaceholders(word);
  const flag = name === '' ? (before.at(-1) ?? '') : name;
  const shown = placeholderFor(placeholder, program, flag, before.slice(index + 1));
  return name === '' ? shown : `${name}=${shown}`;
}

function placeholderFor(placeholder: string, program: string, flag: string, words: readonly string[]): string {
  switch (placeholder) {
    case 'text':
      return `"<${textName(program, flag, words)}>"`;
    case 'code':
      if (QUERY_PROGRAMS.test(program)) return '"<sql statement>"';
      return /^-/.test(flag) && [program, ...words].some(isInterpreter) ? '<code>' : '<value>';
    case 'value':
      return valueNamed(program, flag);
    case 'hash':
      return program === 'git' ? '<commit>' : '<hash>';
    default:
      return program === 'git' && words.includes('clone') ? '<repository url>' : '<url>';
  }
}

function textName(program: string, flag: string, words: readonly string[]): string {
  if (/^--(?:title|subject|body|notes|description|comment|prompt|summary)$/.test(flag)) return flag.slice(2);
  if (/^-[a-z]{0,3}m$|^--message$/.test(flag))
    return MESSAGES.get(words.find((word) => MESSAGES.has(word)) ?? '') ?? 'message';
  if (/^(?:[efz]?grep|rg|ag|ack)$/.test(program)) return 'pattern';
  return /^(?:sed|g?awk|jq|yq)$/.test(program) ? 'script' : 'text';
}

/** `<api key>` after `API_KEY=`, `<token>` after `--token`. */
function valueNamed(program: string, flag: string): string {
  if (/^(?:curl|wget|https?|xh)$/.test(program)) {
    if (/^(?:-H|--header)$/.test(flag)) return '"<header>"';
    if (/^(?:-d|--data[\w-]{0,20}|--json|-F|--form)$/.test(flag)) return '"<body>"';
    if (/^(?:-u|--user)$/.test(flag)) return '<user>';
  }
  const name = flag
    .replace(/^-{1,2}/, '')
    .replace(/[_-]{1,9}/g, ' ')
    .trim()
    .toLowerCase();
  return /^[a-z][a-z0-9 ]{2,29}$/.test(name) ? `<${name}>` : '<value>';
}

function isInterpreter(word: string): boolean {
  const name = basename(word);
  return (
    isPython(name) ||
    /^(?:node|nodejs|tsx|ts-node|bun|deno|ruby|perl|php|bash|sh|zsh|Rscript|julia|lua|elixir|osascript)$/.test(name)
  );
}

function documentName(program: string): string {
  if (/^(?:cat|tee)$/.test(program)) return 'file text';
  return isInterpreter(program) ? 'code' : 'text';
}
