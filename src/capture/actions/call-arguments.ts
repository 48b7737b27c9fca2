import { optional } from '../../platform/base/optional.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { type CallArgument, REPORT_LIMITS } from '../report/execution-report.schema.js';
import { namesSecret } from './command-content.js';
import { isProse, keepWord } from './kept-word.js';
import { isPlaceholder } from './placeholder.js';

const { arguments: MAX_ARGUMENTS, argumentValue: MAX_VALUE } = REPORT_LIMITS;
const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 4;
const MAX_ITEMS = 20;

/** Arguments whose value is content: the text of a file, an edit, a prompt or a message. */
const CONTENT_KEY =
  /^(?:contents?|text|(?:new|old|file)_?(?:string|str|text|source|content)|body|html|markdown|message|messages|prompt|instructions?|description|comment|title|subject|summary|notes?|thoughts?|code|script|source|source_code|patch|diff|edits|todos|plan|data|payload|answer|question|questions|reply|cell_source|insert_text|input)$/i;
/** Arguments whose value names a person or something of one. */
const PERSON_KEY =
  /(?:^|_)(?:first_?name|last_?name|full_?name|user_?name|display_?name|surname|name|user|users|customer|client|patient|passengers?|owner|author|recipients?|to|cc|bcc|sender|from_?(?:name|address)|e_?mails?|phone|mobile|address|street|city|zip|zip_?code|postal_?code|birth_?(?:date|day)|dob|ssn|iban|card|account|login|contact|assignee)$/i;
/** A word that stands for one record of a person, such as `order_id`; ids of tools and tasks as well. */
const ID_KEY = /(?:^|_)(?:id|ids|uuid|guid|ref|reference)$/i;
/** `flight_number`, `page_number`. */
const NUMBER_KEY = /(?:^|_)(?:number|no)$/i;
const LONG_NUMBER = 100_000;
/** Names of things of a program rather than of a person. */
const TECHNICAL_NAME =
  /^(?:(?:file|path|dir|directory|folder|tool|function|class|method|module|package|table|column|field|branch|tag|image|container|service|host|server|model|skill|schema|database|db|collection|index|event|env|variable|key|task|job|workflow|subagent|command|program|test)_?names?)$/i;
const PATH_KEY = /^(?:file_?path|path|notebook_path|filepath|filename|file|target_file|relative_path|absolute_path)$/i;
/** Tools whose texts are content, whatever the argument's name is. */
const WRITES =
  /^(?:write|edit|multiedit|notebookedit|(?:create|write|edit|insert|append)_[a-z_]{1,40}|str_replace[a-z_]{0,40}|apply_patch|task|agent|todowrite)$/i;
/** Short names from a list of the tool. */
const NAME_KEY =
  /^(?:command|mode|type|kind|subagent_type|skill|language|format|encoding|action|operation|output_mode)$/i;

/** A statement of a query language. Its literals are data of the user. */
const STATEMENT = /^\s{0,20}(?:select|with|insert|update|delete|merge|replace|explain)\s/i;
/** A query as programs write it. It has only words, as a sentence has. */
const QUERY = /^\s{0,20}(?:SELECT|DELETE)\s.{1,190}\sFROM\s/;
const LITERAL = /'(?:[^']|''){0,200}'/g;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The arguments of a tool call as a report holds them: every key with its type. A value stays if it is short and
 * neither content, nor private, nor a secret; of content only the length and the kind of its file stay. The command
 * of a shell is its action, so its value is left out here. Pure; reads at most 40 arguments.
 */
export function callArguments(tool: string, input: unknown): CallArgument[] {
  if (typeof input === 'string' && input !== '' && !isShellTool(tool)) return [inputOf(input)];
  if (!isObject(input)) return [];
  const kind = fileKindIn(input);
  const seen = new Set<string>();
  const found: CallArgument[] = [];
  for (const name in input) {
    if (found.length >= MAX_ARGUMENTS) break;
    const key = safeKey(name);
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(argumentOf(tool, key, input[name], kind));
  }
  return found;
}

/** An input without names: of code and patches only the length stays, of a short statement also its text. */
function inputOf(input: string): CallArgument {
  const kept = STATEMENT.test(input) && !/[\n\r]/.test(input) ? keptText('input', input) : undefined;
  return { key: 'input', type: 'text', length: lengthOf(input), ...optional('value', kept) };
}

function argumentOf(tool: string, key: string, value: unknown, fileKind: string | undefined): CallArgument {
  const type = typeOf(value);
  const length = type === 'text' || type === 'list' || type === 'object' ? { length: lengthOf(value) } : {};
  if (isShellTool(tool) && /^(?:command|cmd)$/.test(key)) return { key, type, ...length };
  const kept = isContent(tool, key, value) ? undefined : keptValue(key, value);
  if (kept !== undefined) return { key, type, value: kept, ...length };
  return { key, type, ...length, ...(type === 'text' && fileKind !== undefined ? { fileKind } : {}) };
}

/** The value as a short text without private parts; undefined if it must not or cannot be kept. */
function keptValue(key: string, value: unknown): string | undefined {
  const type = typeOf(value);
  if (type === 'null') return 'null';
  if (type === 'boolean') return String(value);
  if (isPersonal(key, value) || namesSecret(`--${key}`)) return undefined;
  if (type === 'number') return keptNumber(key, Number(value));
  if (type === 'text') return keptText(key, String(value));
  const reduced = reduce(value, key, 0);
  const text = reduced === undefined ? undefined : JSON.stringify(reduced);
  return text !== undefined && text.length <= MAX_VALUE ? text : undefined;
}

function keptNumber(key: string, value: number): string | undefined {
  const isPrivate = ID_KEY.test(key) || (NUMBER_KEY.test(key) && Math.abs(value) >= LONG_NUMBER);
  return isPrivate ? undefined : String(value);
}

function keptText(key: string, value: string): string | undefined {
  if (value.length > MAX_VALUE || (isProse(value) && !QUERY.test(value))) return undefined;
  if (ID_KEY.test(key) || (NUMBER_KEY.test(key) && /\d/.test(value))) return undefined;
  const redacted = redact(value).text;
  const clean = STATEMENT.test(redacted) ? redacted.replace(LITERAL, "'[text]'") : redacted;
  if (namedRedaction(key, redacted)) return undefined;
  const kept = PATH_KEY.test(key) || !clean.includes(' ') ? keepWord(clean) : clean.replace(/[^ ]{1,200}/g, keepWord);
  return isPlaceholder(kept) && !/^\[(?:path|url|email|host|user)\]$/.test(kept) ? undefined : kept.slice(0, MAX_VALUE);
}

/** True if the name before the value shows a secret that the value alone does not. */
function namedRedaction(key: string, value: string): boolean {
  const line = `${key}: ${value}`;
  return redact(line).text !== line;
}

/** A small list or object with placeholders for its private and long values; undefined if it is large. */
function reduce(value: unknown, key: string, depth: number): unknown {
  const type = typeOf(value);
  if (type === 'list' || type === 'object') {
    const entries = Object.entries(value ?? {});
    if (depth >= MAX_DEPTH || entries.length > MAX_ITEMS) return undefined;
    const reduced = entries.map(([name, one]) => {
      const within = type === 'list' ? key : safeKey(name);
      const isText = CONTENT_KEY.test(within) && typeOf(one) === 'text';
      return [within, isText ? '[text]' : (reduce(one, within, depth + 1) ?? `[${typeOf(one)}]`)] as const;
    });
    return type === 'list' ? reduced.map(([, one]) => one) : Object.fromEntries(reduced);
  }
  if (type === 'null' || type === 'boolean') return value;
  const kept = keptValue(key, value);
  if (kept === undefined) return `[${type}]`;
  return type === 'number' ? Number(kept) : kept;
}

function isContent(tool: string, key: string, value: unknown): boolean {
  if (typeOf(value) === 'number' || typeOf(value) === 'boolean' || PATH_KEY.test(key)) return false;
  if (CONTENT_KEY.test(key)) return true;
  if (typeof value !== 'string') return false;
  return /[\n\r]/.test(value) || (WRITES.test(tool) && !NAME_KEY.test(key));
}

/** A bare `name` is that of a person unless it is spelled as programs spell theirs: `pdf-tools`, `cart.ts`. */
function isPersonal(key: string, value: unknown): boolean {
  if (key === 'name' && typeof value === 'string' && /^[a-z][a-z0-9_./:-]{0,80}$/.test(value))
    return !/[-_./:\d]/.test(value);
  return PERSON_KEY.test(key) && !TECHNICAL_NAME.test(key);
}

/** The extension of the file that the call is about. */
function fileKindIn(input: JsonObject): string | undefined {
  for (const key of Object.keys(input).slice(0, MAX_ARGUMENTS)) {
    const value = input[key];
    if (PATH_KEY.test(key) && typeof value === 'string')
      return /\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(value.slice(-60))?.[0].toLowerCase();
  }
  return undefined;
}

function safeKey(key: string): string {
  return /^-{0,2}[A-Za-z_][\w.-]{0,39}$/.test(key) && redact(key).text === key ? key : '[text]';
}

function typeOf(value: unknown): CallArgument['type'] {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'text';
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Math.min(value.length, MAX_LENGTH);
  return typeof value === 'object' && value !== null ? Math.min(Object.keys(value).length, MAX_LENGTH) : 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
