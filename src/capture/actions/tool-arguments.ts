import { parseJson } from '../../platform/base/parse-json.js';
import type { CallArgument } from '../report/execution-report.schema.js';
import { readSql, type SqlStatement } from './sql-statement.js';

/** One argument of a call of a tool other than a shell. Never stored as such. */
export interface ToolArgument {
  readonly key: string;
  /** Undefined for content, and if the report does not hold it. */
  readonly value?: string;
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
    return reported
      .slice(0, LIMITS.arguments)
      .map(({ key, value }) => (value === undefined || REMOVED.test(value) ? { key } : { key, value }));
  const text = action.trim();
  if (text === '') return [];
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  if (typeof parsed === 'object' && parsed !== null)
    return Object.entries(parsed)
      .slice(0, LIMITS.arguments)
      .map(([key, value]) => argumentOf(key, value));
  if (STATEMENT.test(text) && (SQL_TOOL.test(tool) || readSql(text)))
    return [{ key: 'sql', value: text.slice(0, LIMITS.value) }];
  if (text.length > LIMITS.names || !/^[\w-]{1,40}(?:\s[\w-]{1,40}){0,39}$/.test(text)) return [{ key: 'input' }];
  return text.split(/\s/).map((key) => ({ key }));
}

function argumentOf(key: string, value: unknown): ToolArgument {
  if (typeof value !== 'string') return { key, value: JSON.stringify(value ?? null).slice(0, LIMITS.value) };
  if (REMOVED.test(value)) return { key };
  const isLong = CONTENT_KEY.test(key) || /\n/.test(value) || value.length > LIMITS.value;
  return isLong && !(SQL_KEY.test(key) && STATEMENT.test(value)) ? { key } : { key, value };
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
