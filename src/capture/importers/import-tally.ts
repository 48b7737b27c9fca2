import { isDeeperThan } from '../../platform/http/json-bounds.js';
import type { ReadCounts } from './importer.js';

/** Counts the lines that an importer read, and the records that it skipped or omitted, by reason. */
export class ImportTally {
  lines = 0;
  badLines = 0;
  readonly #skipped = new Map<string, number>();
  readonly #omitted = new Map<string, number>();

  skip(reason: string): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }

  omit(reason: string, count = 1): void {
    if (count > 0) this.#omitted.set(reason, (this.#omitted.get(reason) ?? 0) + count);
  }

  hasOmitted(): boolean {
    return this.#omitted.size > 0;
  }

  counts(): ReadCounts['counts'] {
    return { lines: this.lines, badLines: this.badLines, skippedRecords: Object.fromEntries(this.#skipped) };
  }

  omitted(): ReadCounts['omitted'] {
    return [...this.#omitted].map(([reason, count]) => ({ reason, count }));
  }
}

/** In characters: a longer line is no record. */
export const MAX_LINE = 20_000_000;
const MAX_DEPTH = 500;

/**
 * The JSON value of a line. Undefined for an invalid line, which is counted as bad, and for an empty line, which is not
 * counted.
 */
export function readLine(line: string, tally: ImportTally): unknown {
  if (line.trim() === '') return undefined;
  tally.lines += 1;
  const value = line.length > MAX_LINE ? undefined : parseJson(line);
  if (value === undefined) tally.badLines += 1;
  return value;
}

/** The value of a file that is one JSON document over all its lines. */
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
    // a real record is never nested deeper, and the code here could not walk such a value
    return isDeeperThan(MAX_DEPTH, text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
