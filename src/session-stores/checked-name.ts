import { storedLine } from '../sessions/entries/entry.js';
import { invalidFields } from '../sessions/entries/session-memory.errors.js';
import { SESSION_LIMITS } from '../sessions/entries/session-memory.schema.js';

/** A name of an agent, project or session on one line, redacted. Throws `memory.invalid` for an empty or long one. */
export function checkedName(field: string, name: string): string {
  const line = storedLine(name);
  if (line === '') throw invalidFields([{ field, message: 'is empty' }]);
  if (line.length > SESSION_LIMITS.name)
    throw invalidFields([{ field, message: `has more than ${SESSION_LIMITS.name} characters` }]);
  return line;
}
