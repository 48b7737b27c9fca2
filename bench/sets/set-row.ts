import {
  callOf,
  type Run,
  type RunCall,
  reasonOf,
  runOf,
  stepsOf,
} from '../../src/capture/trajectories/runs.importer.js';
import { RunRow, type RunStep } from '../../src/capture/trajectories/runs.schema.js';
import { parseJson } from '../../src/platform/base/parse-json.js';

/** One call of a row. */
export interface SetCall extends RunCall {
  /** The text of the arguments is not whole. */
  readonly isCut: boolean;
}

/** A row in one spelling. */
export interface SetRow extends Run {
  readonly line: number;
  readonly harness: string;
  readonly calls: readonly SetCall[];
}

/** A line that is no execution. */
export interface SkippedLine {
  readonly line: number;
  readonly reason: string;
}

export interface SetRows {
  readonly rows: readonly SetRow[];
  readonly skipped: readonly SkippedLine[];
}

/** A length that so many different arguments of one tool share, and none exceeds, is a limit: those were cut. */
const TEXTS_AT_LIMIT = 5;
const SHORTEST_LIMIT = 100;

/** Reads the rows of a set. `name` is the name of its folder. A line that is no execution is skipped, with the reason. */
export function readRows(jsonl: string, name: string): SetRows {
  const parsed: { line: number; row: RunRow }[] = [];
  const skipped: SkippedLine[] = [];
  for (const [at, text] of jsonl.split('\n').entries()) {
    if (text.trim() === '') continue;
    const row = RunRow.safeParse(parseJson(text));
    if (row.success) parsed.push({ line: at + 1, row: row.data });
    else skipped.push({ line: at + 1, reason: reasonOf(row.error) });
  }
  const limits = limitsOf(parsed.flatMap(({ row }) => stepsOf(row)));
  return { rows: parsed.map(({ line, row }) => rowOf(line, row, name, limits)), skipped };
}

function rowOf(line: number, row: RunRow, name: string, limits: ReadonlyMap<string, number>): SetRow {
  const run = runOf(row);
  return { ...run, line, harness: run.harness ?? name, calls: stepsOf(row).map((step) => setCallOf(step, limits)) };
}

/** The greatest length of the arguments of each tool, where it is a limit at which they were cut. */
function limitsOf(steps: readonly RunStep[]): Map<string, number> {
  const longest = new Map<string, { length: number; texts: Set<string> }>();
  for (const { tool, args } of steps) {
    if (typeof args !== 'string' || args.length < SHORTEST_LIMIT) continue;
    const found = longest.get(tool);
    if (found === undefined || args.length > found.length)
      longest.set(tool, { length: args.length, texts: new Set([args]) });
    else if (args.length === found.length) found.texts.add(args);
  }
  const limits = [...longest].filter(([, { texts }]) => texts.size >= TEXTS_AT_LIMIT);
  return new Map(limits.map(([tool, { length }]) => [tool, length]));
}

function setCallOf(step: RunStep, limits: ReadonlyMap<string, number>): SetCall {
  const call = callOf(step);
  const isLimited = typeof step.args === 'string' && step.args.length === limits.get(step.tool);
  return { ...call, isCut: isLimited || call.input === undefined };
}
