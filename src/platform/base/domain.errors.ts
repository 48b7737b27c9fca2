export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'media_type'
  | 'misdirected'
  | 'rate_limited'
  /** What the configuration cannot do. */
  | 'not_supported'
  | 'unavailable';

export interface FieldError {
  /** Dotted path of the field as the caller wrote it, such as `toolCalls.3.name`. */
  readonly field: string;
  readonly message: string;
}

/**
 * An error that the caller may read. It knows no HTTP: `problem.filter.ts` maps the kind to a status.
 * `code` is dotted and stable (`proposal.already_decided`); clients branch on it.
 */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly fields: readonly FieldError[] = [],
    /** For `rate_limited`: when the same request may be sent again. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'DomainError';
  }
}
