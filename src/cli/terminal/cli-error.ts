/** Exit codes of the command line. Scripts branch on them, so a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  /** The command ran and failed, or what it checked is not in order. */
  failed: 1,
  /** The command line or a setting is wrong; nothing was done. */
  usage: 2,
  /** Not signed in, or not permitted. */
  notPermitted: 3,
  /** No such skill, proposal, person, … */
  notFound: 4,
  /** The server does not respond. */
  noResponse: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

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
