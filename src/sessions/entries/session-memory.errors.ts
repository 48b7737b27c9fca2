import type { FieldError } from '../../platform/base/domain.errors.js';

export type SessionMemoryCode =
  | 'memory.invalid'
  | 'memory.closed'
  | 'memory.full'
  | 'memory.locked'
  | 'memory.read_only'
  | 'memory.redirected'
  | 'memory.refused'
  | 'memory.summary_edited'
  | 'memory.unavailable';

/** An error of a session memory. `code` is stable; `fields` names what breaks a limit. */
export class SessionMemoryError extends Error {
  constructor(
    readonly code: SessionMemoryCode,
    message: string,
    readonly fields: readonly FieldError[] = [],
    options: ErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'SessionMemoryError';
  }
}

/** `memory.invalid` for these fields. */
export function invalidFields(fields: readonly FieldError[]): SessionMemoryError {
  const [first = { field: 'entry', message: 'is not valid' }] = fields;
  return new SessionMemoryError('memory.invalid', `${first.field}: ${first.message}`, fields);
}
