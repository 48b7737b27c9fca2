import { EXIT, type ExitCode } from './exit-codes.js';

/** A failure of a command, with its exit code and a stable code for scripts, such as `name.ambiguous`. */
export class CliError extends Error {
  constructor(
    readonly exit: ExitCode,
    readonly code: string,
    message: string,
    /** How to continue. */
    readonly hint?: string,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** A wrong value on the command line, found before anything was done. */
export const invalidArgument = (message: string): CliError =>
  new CliError(EXIT.usage, 'usage.invalid_argument', message);
