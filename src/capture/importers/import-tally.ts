import { isDeeperThan } from '../../platform/base/json-depth.js';
import type { DerivedExecutions } from './importer.js';

/** Counts what an importer read, skipped and left out, each by its reason. */
export class ImportTally {
  lines = 0;
  badLines = 0;
  readonly #skipped = new Map<string, number>();
  readonly #left = new Map<string, number>();

  skip(reason: string): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }

  omit(reason: string, count = 1): void {
    if (count > 0) this.#left.set(reason, (this.#left.get(reason) ?? 0) + count);
  }

  counts(): DerivedExecutions['counts'] {
    return { lines: this.lines, badLines: this.badLines, skippedRecords: Object.fromEntries(this.#skipped) };
  }

  omitted(): DerivedExecutions['omitted'] {
    return [...this.#left].map(([reason, count]) => ({ reason, count }));
  }
}

const MAX_LINE = 20_000_000;
const MAX_DEPTH = 500;

/** The value of a line of JSON; undefined, and counted, where it is none. Empty lines are not counted at all. */
export function readLine(line: string, tally: ImportTally): unknown {
  if (line.trim() === '') return undefined;
  tally.lines += 1;
  const value = line.length > MAX_LINE ? undefined : parseJson(line);
  if (value === undefined) tally.badLines += 1;
  return value;
}

/** The value of a file that is one JSON document, whatever its lines. */
export function parseDocument(lines: readonly string[], tally = new ImportTally()): unknown {
  const text = lines.join('\n');
  if (text.trim() === '') return undefined;
  tally.lines += lines.length;
  const value = parseJson(text);
  if (value === undefined) tally.badLines += 1;
  return value;
}

export function parseJson(text: string): unknown {
  try {
    // what is nested deeper is no record of anybody's, and nothing here could walk it
    return isDeeperThan(MAX_DEPTH, text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
