import { CommanderError } from 'commander';
import { GuildbookError, NoResponseError } from '../../client/guildbook.js';
import { messageOf } from '../../platform/base/error-text.js';
import { optional } from '../../platform/base/optional.js';
import { SettingsError } from '../../platform/config/config.errors.js';
import type { Problem } from '../../platform/http/problem.schema.js';
import { SessionMemoryError } from '../../sessions/entries/session-memory.errors.js';
import { CliError, EXIT, type ExitCode } from './cli-error.js';
import { commandProcess } from './command-process.js';
import { printError, printErrorJson } from './terminal.js';

const HINTS: Readonly<Record<string, string>> = {
  'access.unknown': 'Check that the token is complete and belongs to this server.',
  'access.already_used':
    'Sign in again without a token: guildbook login (or ask an administrator for a new invitation)',
  'access.expired':
    'Sign in again with: guildbook login (for an agent or service, issue a new token: guildbook agents rotate <agent>)',
  'access.revoked': 'This credential was revoked. Ask an administrator for a new invitation.',
  'access.not_a_person': 'Only a signed-in person can decide. Sign in with: guildbook login',
  'access.scope_missing': 'To see your permissions: guildbook whoami',
  'proposal.artifact_changed': 'Read it again with: guildbook proposals show <proposal>',
};

/** The client's code for a response that no Guildbook server sent, such as that of a proxy. */
const NOT_GUILDBOOK = 'not_guildbook';

const EXIT_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  400: EXIT.usage,
  401: EXIT.notPermitted,
  403: EXIT.notPermitted,
  404: EXIT.notFound,
};

/** A session memory refuses what it was given: the command did nothing. */
const REFUSED_MEMORY: ReadonlySet<string> = new Set(['memory.invalid', 'memory.redirected']);

/** Failures of the system for a path that the caller gave. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder; name a file',
  ENOTDIR: 'is not a folder',
};

/** Why a command failed: for its exit status, for a person and for a script. */
interface Failure {
  readonly exit: ExitCode;
  /** Stable, so scripts may branch on it. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof GuildbookError) return refusal(error.problem, error.message);
  if (error instanceof NoResponseError) return noResponse(error);
  if (error instanceof CliError) {
    const { exit, code, message, hint } = error;
    return { exit, code, message, ...optional('hint', hint) };
  }
  if (error instanceof SessionMemoryError)
    return {
      exit: REFUSED_MEMORY.has(error.code) ? EXIT.usage : EXIT.failed,
      code: error.code,
      message: error.message,
    };
  if (error instanceof CommanderError)
    return { exit: EXIT.usage, code: `usage.${snakeCase(error.code)}`, message: sentence(error.message) };
  const message = messageOf(error);
  if (error instanceof SettingsError) return { exit: EXIT.usage, code: 'settings.invalid', message };
  return fileFailure(error) ?? { exit: EXIT.failed, code: 'command.failed', message };
}

function refusal({ status, code }: Problem, message: string): Failure {
  const hint = HINTS[code];
  const exit = code === NOT_GUILDBOOK ? EXIT.noResponse : (EXIT_OF_STATUS[status] ?? EXIT.failed);
  return { exit, code, message, ...optional('hint', hint) };
}

function noResponse({ server, reason, cause }: NoResponseError): Failure {
  const exit = EXIT.noResponse;
  if (reason === 'timeout')
    return {
      exit,
      code: 'server.timeout',
      message: `${server} did not respond in time and may still be working.`,
      hint: 'To check: guildbook status',
    };
  const reasonCode = codeOf(cause);
  return {
    exit,
    code: 'server.no_response',
    message: `${server} does not respond${reasonCode ? ` (${reasonCode})` : ''}.`,
    hint: 'If the server is not running, start it with: guildbook serve',
  };
}

/** `fetch` puts the reason of a failure into the cause of its error. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** A file that cannot be opened: the sentence names it, without the words of the operating system. */
function fileFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error && 'syscall' in error)) return undefined;
  const problem = FILE_PROBLEMS[String(error.code)];
  if (problem === undefined || !['open', 'read', 'scandir', 'stat'].includes(String(error.syscall))) return undefined;
  return { exit: EXIT.usage, code: 'file.unusable', message: `${String(error.path)}: ${problem} (${error.code}).` };
}

/** `commander.unknownOption` → `unknown_option`. */
const snakeCase = (code: string): string =>
  code.replace(/^commander\./, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The library writes `error: missing required argument 'id'`. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`;
}

/** The text for a person: what went wrong, and how to continue. */
export function describeFailure(error: unknown): string {
  const { code, message, hint } = failureOf(error);
  return `${message}${error instanceof GuildbookError ? ` (${code})` : ''}${hint === undefined ? '' : `\n${hint}`}`;
}

/** Prints a failure on standard error, as text or as one JSON document, and ends the process with its exit status. */
export function fail(error: unknown, json = false): never {
  const { exit, code, message, hint } = failureOf(error);
  if (json) printErrorJson({ error: { code, message, hint } });
  else printError(describeFailure(error), 'Error: ');
  return commandProcess().exit(exit);
}
