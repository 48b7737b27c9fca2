import { z } from 'zod';
import { knownPurpose } from '../../evidence/calls/tool-family.js';
import { compareText } from '../../platform/base/compare-text.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { CallArgument } from '../report/execution-report.schema.js';
import type { ActionShape } from './action-shape.js';
import { normaliseWord } from './normalised-word.js';
import { operandShape } from './operand-shape.js';
import { sqlOf, type ToolArgument, toolArguments } from './tool-arguments.js';

/** Arguments that name a file or folder. Only these keep a literal value. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  'file_path',
  'path',
  'notebook_path',
  'filepath',
  'directory',
  'dir_path',
]);
/** Main arguments, which need no label in the fine key. */
const MAIN_KEYS: ReadonlySet<string> = new Set(['file_path', 'notebook_path', 'filepath', 'url']);
/** Arguments with a short name from a fixed list of the agent, such as the kind of a sub-agent. */
const NAME_KEYS: ReadonlySet<string> = new Set(['subagent_type', 'skill', 'output_mode', 'type', 'glob', 'command']);
const KNOWN_ARGUMENTS = 12;

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
  if (PATH_KEYS.has(key)) return normaliseWord(value);
  if (key === 'url') return '[url]';
  if (NAME_KEYS.has(key) && /^[\w:*./{},-]{1,40}$/.test(value)) return normaliseWord(value);
  return '[text]';
}

/**
 * The shape of a call of a tool other than a shell. `action`: the arguments' shape, their raw JSON, or a bare path or
 * pattern. `reported`: its arguments, if the report holds them.
 */
export function toolShape(tool: string, action: string, reported?: readonly CallArgument[]): ActionShape {
  const name = tool.toLowerCase().slice(0, 80);
  const given = toolArguments(name, action, reported);
  const args = withPaths(readArguments(name, action), given);
  const sql = knownPurpose(name) !== undefined ? undefined : sqlOf(name, given);
  const labelled = [...args].filter(([key, value]) => !MAIN_KEYS.has(key) && isOperand(key, value));
  const operands = [...args].filter(([key]) => MAIN_KEYS.has(key)).map(([, value]) => operandShape(value));
  const labels = labelled.map(([key, value]) => (value === '' ? key : `${key}=${operandShape(value)}`));
  const coarse = sql ? `${name} ${sql.verb}` : name;
  return {
    tool: name,
    program: name,
    flags: [...args.keys()].filter((key) => !MAIN_KEYS.has(key)).sort(),
    operands: [...operands, ...labelled.flatMap(([, value]) => (value === '' ? [] : [operandShape(value)]))],
    coarse,
    fine: [coarse, ...(sql ? sql.tables.slice(0, 3) : [...operands, ...labels])].join(' '),
    purpose: sql ? `sql:${sql.verb}` : purposeOfTool(name, args),
    masksExit: false,
    discardsExit: false,
    before: [],
    ...(sql ? { sql } : {}),
    earlier: [],
  };
}

/** Adds the paths that only the reported arguments hold. */
function withPaths(args: Map<string, string>, reported: readonly ToolArgument[]): Map<string, string> {
  for (const { key, value } of reported)
    if (PATH_KEYS.has(key) && value !== undefined && (args.get(key) ?? '') === '') args.set(key, normaliseWord(value));
  return args;
}

function isOperand(key: string, value: string): boolean {
  return PATH_KEYS.has(key) || key === 'subagent_type' || key === 'skill' || value === '';
}

function purposeOfTool(name: string, args: ReadonlyMap<string, string>): string {
  const mcp = /^mcp__(.{1,60}?)__(.{1,60})$/.exec(name);
  if (mcp !== null) return `mcp:${mcp[1] ?? ''} ${mcp[2] ?? ''}`;
  const kind = args.get('subagent_type') ?? args.get('skill');
  const purpose = knownPurpose(name) ?? `tool:${name}`;
  return kind !== undefined && kind !== '' ? `${purpose}:${kind}` : purpose;
}

function readArguments(tool: string, action: string): Map<string, string> {
  const text = action.trim();
  if (text === '') return new Map();
  const parsed = text.startsWith('{') ? Arguments.safeParse(parseJson(text)) : undefined;
  if (parsed?.success === true) {
    const keys = Object.keys(parsed.data).sort().slice(0, KNOWN_ARGUMENTS);
    return new Map(keys.map((key) => [safeKey(key), shapeOf(key, parsed.data[key])]));
  }
  const purpose = knownPurpose(tool);
  if (purpose === 'file:read' || purpose === 'file:write' || purpose === 'file:edit') {
    return new Map([['file_path', normaliseWord(text)]]);
  }
  if (purpose === 'file:search' || purpose === 'file:find') return new Map([['pattern', '[text]']]);
  if (purpose !== undefined || text.length > 400) return new Map();
  return new Map(
    text
      .split(/\s+/)
      .slice(0, KNOWN_ARGUMENTS)
      .map((key) => [safeKey(key), '']),
  );
}
