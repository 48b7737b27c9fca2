import { z } from 'zod';
import { knownPurpose } from '../../evidence/calls/tool-family.js';
import { compareText } from '../../platform/base/compare-text.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { CallArgument } from '../report/execution-report.schema.js';
import { type ActionShape, fileKindOf } from './action-shape.js';
import { keepWord } from './kept-word.js';

/** Arguments that name a file or folder. Only these keep a literal value. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  'file_path',
  'path',
  'notebook_path',
  'filepath',
  'directory',
  'dir_path',
]);
/** Arguments with a short name from a fixed list of the agent, such as the kind of a sub-agent. */
const NAME_KEYS: ReadonlySet<string> = new Set(['subagent_type', 'skill', 'output_mode', 'type', 'glob', 'command']);
const SQL_KEY = /^(?:sql|query|statement|sql_query)$/i;
const SQL_TOOL = /sql|database|sqlite|postgres|duckdb|bigquery|snowflake/i;
const KNOWN_ARGUMENTS = 12;
const MOST_ARGUMENTS = 40;

const Arguments = z.record(z.string(), z.unknown());

/**
 * The shape of a tool's arguments that may leave the machine: paths without their absolute folder, names from fixed
 * lists, and numbers as `[n]`; every other text is `[text]`. Unknown tools give only their sorted argument names.
 */
export function normaliseToolInput(tool: string, input: unknown): string {
  const parsed = Arguments.safeParse(input);
  if (!parsed.success) return '';
  const known = knownPurpose(tool) !== undefined;
  const entries = Object.entries(parsed.data).sort(([a], [b]) => compareText(a, b));
  const shaped = entries
    .slice(0, KNOWN_ARGUMENTS)
    .map(([key, value]) => [safeKey(key), known ? shapeOf(key, value) : '']);
  if (!known) return [...new Set(shaped.map(([key]) => key))].join(' ').slice(0, 1_000);
  return JSON.stringify(Object.fromEntries(shaped)).slice(0, 1_000);
}

function safeKey(key: string): string {
  return /^[A-Za-z_][\w-]{0,39}$/.test(key) ? key : '[text]';
}

function shapeOf(key: string, value: unknown): string {
  if (typeof value === 'number') return '[n]';
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '[list]';
  if (PATH_KEYS.has(key)) return keepWord(value);
  if (key === 'url') return '[url]';
  if (NAME_KEYS.has(key) && /^[\w:*./{},-]{1,40}$/.test(value)) return keepWord(value);
  return '[text]';
}

/**
 * The shape of a call of a tool other than a shell. `action`: the arguments' shape, their raw JSON, or a bare path,
 * pattern or statement. `reported`: its arguments, if the report holds them.
 */
export function toolShape(tool: string, action: string, reported?: readonly CallArgument[]): ActionShape {
  const name = tool.toLowerCase().slice(0, 80);
  const given = textsOf(name, action, reported);
  const verb = knownPurpose(name) === undefined ? verbIn(name, given) : undefined;
  const fileKinds = [...given].flatMap(([key, value]) => (PATH_KEYS.has(key) ? (fileKindOf(value) ?? []) : []));
  return {
    tool: name,
    program: name,
    coarse: verb === undefined ? name : `${name} ${verb}`,
    purpose: verb === undefined ? purposeOfTool(name, given) : `sql:${verb}`,
    fileKinds: [...new Set(fileKinds)],
    masksExit: false,
    earlier: [],
    ...(verb === undefined ? {} : { isStatement: true }),
  };
}

/** The texts among the arguments of a call, by key. A bare action is the main argument of its tool. */
function textsOf(tool: string, action: string, reported?: readonly CallArgument[]): ReadonlyMap<string, string> {
  if (reported !== undefined)
    return new Map(reported.slice(0, MOST_ARGUMENTS).flatMap(({ key, value }) => (value ? [[key, value]] : [])));
  const text = action.trim();
  const parsed = text.startsWith('{') ? Arguments.safeParse(parseJson(text)) : undefined;
  if (parsed?.success === true) {
    const entries = Object.entries(parsed.data).slice(0, MOST_ARGUMENTS);
    return new Map(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
  }
  return new Map([[/^file:(?:read|write|edit)$/.test(knownPurpose(tool) ?? '') ? 'file_path' : 'statement', text]]);
}

/** What the statement of a call does, if it runs one: as the whole input, or in an argument. */
function verbIn(tool: string, given: ReadonlyMap<string, string>): string | undefined {
  for (const [key, value] of given)
    if (SQL_KEY.test(key) || (given.size === 1 && SQL_TOOL.test(tool))) {
      const verb = sqlVerb(value);
      if (verb !== undefined) return verb;
    }
  return undefined;
}

function purposeOfTool(name: string, given: ReadonlyMap<string, string>): string {
  const mcp = /^mcp__(.{1,60}?)__(.{1,60})$/.exec(name);
  if (mcp !== null) return `mcp:${mcp[1] ?? ''} ${mcp[2] ?? ''}`;
  const key = given.has('subagent_type') ? 'subagent_type' : 'skill';
  const kind = given.get(key);
  const purpose = knownPurpose(name) ?? `tool:${name}`;
  return kind === undefined ? purpose : `${purpose}:${shapeOf(key, kind)}`;
}

const LONGEST_STATEMENT = 2_000;
const VERBS: ReadonlySet<string> = new Set(
  `select insert update delete create drop alter show desc describe explain pragma with use replace truncate call grant
   revoke merge`.split(/\s+/),
);
/** English words as well: a statement goes on with a name, a star, a number or a bracket. */
const ORDINARY = /^(?:use|with|call|replace|merge|show|update|create|drop|grant|select|explain)$/;
const GOES_ON = /^[a-z_*'(`"@\d-]/;
/** Tables of the schema. */
const SCHEMA_TABLE =
  /\b(?:from|join|table|update|into)\s{1,20}[`"]?(?:\w{1,60}\.)?(?:information_schema|sqlite_master|sqlite_schema|pg_catalog|pg_tables)\b/;

/** What a SQL statement does: `select`, `insert`, `show tables`, `desc`; undefined if the text does not start like one. */
function sqlVerb(text: string): string | undefined {
  const statement = text.slice(0, LONGEST_STATEMENT).toLowerCase();
  const [, first = '', second = ''] = /^\s{0,100}([a-z]{2,20})\s{1,100}([a-z]{1,20}|\S)/.exec(statement) ?? [];
  if (!VERBS.has(first) || (ORDINARY.test(first) && !GOES_ON.test(second))) return undefined;
  if (first === 'with') return 'select';
  if (first === 'describe') return 'desc';
  if (SCHEMA_TABLE.test(statement)) return 'show tables';
  return /^(?:show|create|drop|alter)$/.test(first) && /^[a-z]/.test(second) ? `${first} ${second}` : first;
}
