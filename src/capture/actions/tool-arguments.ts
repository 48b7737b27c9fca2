import { parseJson } from '../../platform/base/parse-json.js';
import type { CallArgument } from '../report/execution-report.schema.js';
import { isPlaceholder, normaliseWord } from './normalised-word.js';
import { isPathLike, operandShape } from './operand-shape.js';
import { readSql, type SqlStatement } from './sql-statement.js';

/** One argument of a call of a tool other than a shell. Compared with another call's; never stored as such. */
export interface ToolArgument {
  readonly key: string;
  readonly type: CallArgument['type'];
  /** Undefined for content, and if the report does not hold it. */
  readonly value?: string;
  readonly length?: number;
}

const LIMITS = { arguments: 40, value: 1_000, names: 400 } as const;
/** Arguments that hold content: its length may be compared, the content not. */
const CONTENT_KEY =
  /^(?:contents?|text|body|prompt|messages?|thoughts?|thinking|old_str(?:ing)?|new_str(?:ing)?|code|script|patch|diff|todos|summary|description|questions?|answer|input|instructions|file_text|html|markdown|comments?|notes?)$/i;
const SQL_KEY = /^(?:sql|query|statement|sql_query)$/i;
const SQL_TOOL = /sql|database|sqlite|postgres|duckdb|bigquery|snowflake/i;
/** The beginning of a SQL statement; the reader decides. */
const STATEMENT =
  /^\s{0,20}(?:select|insert|update|delete|create|drop|alter|show|desc|describe|explain|pragma|with|use|replace|truncate|call|grant|revoke|merge)\s/i;
/** What importers write in the place of a value. */
const REMOVED = /^\[(?:text|list|code|value|n|url|object)\]$/;

/** The arguments of a call: from the report, else from JSON in the action, else only their names. */
export function toolArguments(tool: string, action: string, reported?: readonly CallArgument[]): ToolArgument[] {
  if (reported !== undefined)
    return reported.slice(0, LIMITS.arguments).map(({ key, type, value, length }) => ({
      key,
      type,
      ...(value === undefined || REMOVED.test(value) ? {} : { value }),
      ...(length === undefined ? {} : { length }),
    }));
  const text = action.trim();
  if (text === '') return [];
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  if (typeof parsed === 'object' && parsed !== null)
    return Object.entries(parsed)
      .slice(0, LIMITS.arguments)
      .map(([key, value]) => argumentOf(key, value));
  if (STATEMENT.test(text) && (SQL_TOOL.test(tool) || readSql(text)))
    return [{ key: 'sql', type: 'text', value: text.slice(0, LIMITS.value) }];
  if (text.length > LIMITS.names || !/^[\w-]{1,40}(?:\s[\w-]{1,40}){0,39}$/.test(text))
    return [{ key: 'input', type: 'text', length: text.length }];
  return text.split(/\s/).map((key) => ({ key, type: 'text' }));
}

function argumentOf(key: string, value: unknown): ToolArgument {
  if (value === null) return { key, type: 'null', value: 'null' };
  if (typeof value === 'number') return { key, type: 'number', value: String(value) };
  if (typeof value === 'boolean') return { key, type: 'boolean', value: String(value) };
  if (typeof value !== 'string') {
    const type = Array.isArray(value) ? 'list' : 'object';
    return { key, type, value: JSON.stringify(value).slice(0, LIMITS.value) };
  }
  if (value === '[n]') return { key, type: 'number' };
  if (value === '[list]') return { key, type: 'list' };
  if (REMOVED.test(value)) return { key, type: 'text' };
  const isLong = CONTENT_KEY.test(key) || /\n/.test(value) || value.length > LIMITS.value;
  return isLong && !(SQL_KEY.test(key) && STATEMENT.test(value))
    ? { key, type: 'text', length: value.length }
    : { key, type: 'text', value };
}

/** The statement of a call that runs SQL: as the whole action, or in an argument. */
export function sqlOf(tool: string, args: readonly ToolArgument[]): SqlStatement | undefined {
  for (const { key, value } of args)
    if (value !== undefined && (SQL_KEY.test(key) || (SQL_TOOL.test(tool) && args.length === 1))) {
      const statement = readSql(value);
      if (statement) return statement;
    }
  return undefined;
}

/** True for the argument that holds the statement of a call with SQL. */
export function isSqlArgument({ key }: ToolArgument): boolean {
  return SQL_KEY.test(key);
}

/** True for an argument that holds content or a statement, by its name. */
export function isContent(key: string): boolean {
  return CONTENT_KEY.test(key) || SQL_KEY.test(key);
}

const PERSONAL_KEY = /(?:^|_)(?:user|name|author|email|phone|address|customer|owner|recipient|passengers?)(?:_|$)/i;
const ID_KEY = /(?:^|_)(?:ids?|uuid|token|key)$|[a-z]Ids?$/;
const ADDRESS_KEY = /^(?:url|uri|endpoint|route)$/i;
const LONGEST = { text: 60, list: 20, words: 4 } as const;

/**
 * The value of an argument as a lesson may name it: itself if it is short, otherwise its kind in square brackets. Private
 * values, ids, files, content and long numbers are kinds. `isHttp`: the path of a request is no file.
 */
export function shownValue({ key, type, value }: ToolArgument, isHttp = false): string {
  if (value === undefined || PERSONAL_KEY.test(key)) return `[${type}]`;
  if (type === 'list' || type === 'object') return value.length <= LONGEST.list ? value : `[${type}]`;
  if (type !== 'text') return value;
  if (ID_KEY.test(key)) return '[id]';
  if (isContent(key)) return '[text]';
  if (ADDRESS_KEY.test(key) || (isHttp && key === 'path')) return pathShape(value);
  const word = normaliseWord(value);
  if (isPathLike(word) || (isPlaceholder(word) && word !== '[text]')) return operandShape(word);
  if (value.replace(/\D/g, '').length > 4) return `[${value.slice(0, LONGEST.list).replace(/\d/g, '0')}]`;
  // longer texts are sentences, which may be about a person
  const isShort = value.length <= LONGEST.text && value.split(' ', LONGEST.words + 1).length <= LONGEST.words;
  return isShort && /^[\w.,:;<>=+*%$() -]{1,60}$/.test(value) ? value : '[text]';
}

/** The path of an address without host and query; segments with digits are ids: `/v1/users/[id]`. */
export function pathShape(value: string): string {
  const path = value.replace(/^[a-z]{2,10}:\/\/[^/?#\s]{0,200}/i, '').replace(/[?#].*$/s, '');
  const isId = (segment: string): boolean => /\d/.test(segment) && !/^v\d{1,2}$/.test(segment);
  const segments = path.split('/', 12).map((segment) => (isId(segment) ? '[id]' : segment));
  const shape = segments.join('/').slice(0, LONGEST.text);
  return shape === '' ? '/' : shape;
}

/** True for a call that sends an HTTP request. */
export function isHttpCall(tool: string, args: readonly ToolArgument[]): boolean {
  return args.some(({ key }) => key.toLowerCase() === 'method') || /http|rest_?api/.test(tool);
}
