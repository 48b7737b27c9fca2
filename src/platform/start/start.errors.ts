import { START_PROBLEMS, type StartProblemCode, type StartProblemDetails } from './start-problems.js';

/** The server cannot start. The message is one sentence for the operator, with the way out. */
export class StartError extends Error {
  constructor(
    readonly code: StartProblemCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** Creates the error of one of the known problems. */
export function startError<C extends StartProblemCode>(
  code: C,
  details: StartProblemDetails<C>,
  options?: ErrorOptions,
): StartError {
  // Each function takes the details of its code.
  const sentence = START_PROBLEMS[code] as (known: StartProblemDetails<C>) => string;
  return new StartError(code, sentence(details), options);
}

/** The code of a system call's failure, such as `EACCES`, or the message of another error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [inner] = error instanceof AggregateError ? error.errors : [];
  return inner === undefined ? error.message : reasonOf(inner);
}
