import { z } from 'zod';
import { isDamage } from './outage.js';

/** A stored row that cannot be read, because a value in it does not have the form that the server writes. */
export interface DamagedRow {
  readonly table: string;
  readonly id: string;
  readonly reason: string;
}

type Listener = (damaged: DamagedRow | 'pages') => void;
/** One for each running application. */
const listeners = new Set<Listener>();

/** Calls `listener` for each damaged row until the returned function is called. */
export function onDamage(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const report = (damaged: DamagedRow | 'pages'): void => {
  for (const listener of listeners) listener(damaged);
};

/**
 * Reads rows. One that is damaged is left out and reported, so that it stops neither the start nor a list, a recall or
 * a cycle.
 */
export function readRows<Row extends object, T>(table: string, rows: readonly Row[], read: (row: Row) => T): T[] {
  const results: T[] = [];
  for (const row of rows) {
    try {
      results.push(read(row));
    } catch (error) {
      if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
      const [issue] = error instanceof z.ZodError ? error.issues : [];
      report({ table, id: idOf(row), reason: issue ? `${issue.path.join('.')}: ${issue.code}` : 'invalid JSON' });
    }
  }
  return results;
}

/** Reads a row that may be missing. */
export const readRow = <Row extends object, T>(
  table: string,
  row: Row | null | undefined,
  read: (row: Row) => T,
): T | undefined => (row ? readRows(table, [row], read)[0] : undefined);

/** Reports an error of the database that says that stored pages are damaged. Returns whether it is one. */
export function reportDamage(error: unknown): boolean {
  const found = isDamage(error);
  if (found) report('pages');
  return found;
}

/** The values of a key never hold text of a report. */
function idOf(row: object): string {
  for (const key of ['id', 'executionId', 'memoryId', 'seq', 'key'])
    if (key in row) return String(Object(row)[key]).slice(0, 64);
  return 'unknown';
}
