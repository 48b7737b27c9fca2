import { parseInput, storedLine } from '../sessions/entries/entry.js';
import { invalidFields } from '../sessions/entries/session-memory.errors.js';
import { RecallOptions, SESSION_LIMITS } from '../sessions/entries/session-memory.schema.js';

/** A name of an agent, project or session on one line, redacted. Throws `memory.invalid` for an empty or long one. */
export function checkedName(field: string, name: string): string {
  const line = storedLine(name);
  if (line === '') throw invalidFields([{ field, message: 'is empty' }]);
  requireShort(field, line, SESSION_LIMITS.name);
  return line;
}

/** The options of a recall. Throws `memory.invalid` for those, or a query, that break a limit. */
export function checkedRecall(query: string, options: RecallOptions) {
  requireShort('query', query, SESSION_LIMITS.query);
  return parseInput(RecallOptions, options);
}

function requireShort(field: string, text: string, most: number): void {
  if (text.length > most) throw invalidFields([{ field, message: `has more than ${most} characters` }]);
}
