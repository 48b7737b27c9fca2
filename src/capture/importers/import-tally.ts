import { isDeeperThan } from '../../platform/http/json-bounds.js';
import type { ReadCounts } from './importer.js';

/** Counts the lines that an importer read, and what it omitted, by reason. */
export class ImportTally {
  lines = 0;
  badLines = 0;
  readonly #omitted = new Map<string, number>();

  omit(reason: string, count = 1): void {
    if (count > 0) this.#omitted.set(reason, (this.#omitted.get(reason) ?? 0) + count);
  }

  hasOmitted(): boolean {
    return this.#omitted.size > 0;
  }

  read(): ReadCounts {
    const omitted = [...this.#omitted].map(([reason, count]) => ({ reason, count }));
    return { counts: { lines: this.lines, badLines: this.badLines }, omitted };
  }
}

/** In characters: a longer line is no record. */
export const MAX_LINE = 20_000_000;
const MAX_DEPTH = 500;

/** A file that was extended and not written to holds NUL. As a whole line it stands for one that could not be read. */
export const LOST_LINE = '\0';

/** Stands among the records of a file where some were lost: nothing may be derived from what is before and after it. */
export const HOLE = Symbol('records were lost');

/**
 * The JSON values of a line, with a hole for each place where one was lost: none for an empty line, more than one where
 * a program wrote its next record behind another one, or behind one that it did not finish. A line with a loss is
 * counted as bad. Words that are no part of a record, such as a warning between the lines of a stream, are no loss.
 */
export function readLine(line: string, tally: ImportTally): unknown[] {
  if (line.trim() === '') return [];
  // The reader of the file counts it.
  if (line === LOST_LINE) return [HOLE];
  tally.lines += 1;
  const value = line.length > MAX_LINE ? undefined : parseJson(line);
  if (value !== undefined) return [value];
  const found = line.length > MAX_LINE ? [HOLE] : salvaged(line);
  const holes = found.filter((one) => one === HOLE).length;
  if (holes > 0 || found.length === 0) tally.badLines += 1;
  tally.omit('place where records were lost', holes);
  return found;
}

/** The records of lines that do not depend on each other, so that a hole between them says nothing. */
export function* recordsIn(lines: Iterable<string>, tally: ImportTally): Generator<unknown> {
  for (const line of lines) for (const value of readLine(line, tally)) if (value !== HOLE) yield value;
}

/** The records of a damaged line in their order. */
function salvaged(line: string): unknown[] {
  const found: unknown[] = [];
  const budget = { left: MOST_READINGS * line.length };
  const addHole = () => found.at(-1) !== HOLE && found.push(HOLE);
  for (const [n, part] of line.split(LOST_LINE).entries()) {
    if (n > 0) addHole();
    for (let at = 0; at < part.length; ) {
      const next = nextObject(part, at, budget);
      if (/[{}"]/.test(part.slice(at, next?.from))) addHole();
      if (next !== undefined) found.push(next.value);
      at = next?.to ?? part.length;
    }
  }
  return found;
}

/** How many places of a line are tried as the start of a record, and how often its length is read for that. */
const MOST_STARTS = 200;
const MOST_READINGS = 8;

/**
 * The next object that ends where the text ends or another one begins. One that is the value of a field is a part of a
 * record that was cut.
 */
function nextObject(
  text: string,
  from: number,
  budget: { left: number },
): { value: unknown; from: number; to: number } | undefined {
  let at = text.indexOf('{', from);
  for (let tries = 0; at >= 0 && tries < MOST_STARTS && budget.left > 0; tries += 1) {
    const to = isField(text, from, at) ? -1 : endOfObject(text, at);
    budget.left -= to < 0 ? text.length - at : to - at;
    const value = to < 0 || !/^\s*(?:\{|$)/.test(text.slice(to, to + 100)) ? undefined : parseJson(text.slice(at, to));
    if (value !== undefined) return { value, from: at, to };
    at = text.indexOf('{"', at + 1);
  }
  return undefined;
}

const isField = (text: string, from: number, at: number): boolean =>
  /[:,[]\s{0,20}$/.test(text.slice(Math.max(from, at - 20), at));

/** Where the object that begins at `at` ends; -1 if it does not. */
function endOfObject(text: string, at: number): number {
  let depth = 0;
  let isText = false;
  for (let n = at; n < text.length; n += 1) {
    const letter = text[n];
    if (letter === '\\' && isText) n += 1;
    else if (letter === '"') isText = !isText;
    else if (isText) continue;
    else if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth === 0) return n + 1;
    }
  }
  return -1;
}

/** The value of a file that is one JSON document over all its lines. */
export function parseDocument(lines: readonly string[], tally = new ImportTally()): unknown {
  const text = lines.filter((line) => line !== LOST_LINE).join('\n');
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
