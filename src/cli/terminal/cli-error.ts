import type { ExitCode } from './exit-codes.js';

/** A failure of a command, with its exit code and a stable code for scripts, such as `name.ambiguous`. */
export class CliError extends Error {
  constructor(
    readonly exit: ExitCode,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'CliError';
  }
}
