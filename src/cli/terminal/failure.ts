import { GuildbookError, NoResponseError } from '../../client/guildbook.js';
import { messageOf } from '../../platform/base/error-text.js';
import { printError } from './terminal.js';

const HINTS: Readonly<Record<string, string>> = {
  'access.unknown': 'Check that the token is complete and belongs to this server.',
  'access.already_used':
    'Sign in again without a token: guildbook login (or ask an administrator for a new invitation)',
  'access.expired':
    'Sign in again with: guildbook login (for an agent or service, issue a new token: guildbook agents rotate <id>)',
  'access.revoked': 'This credential was revoked. Ask an administrator for a new invitation.',
  'access.not_a_person': 'Only a signed-in person can decide. Sign in with: guildbook login',
  'access.scope_missing': 'To see your permissions: guildbook whoami',
  'proposal.artifact_changed': 'Read it again with: guildbook proposals show <id>',
};

/** The text for a person: what went wrong, and how to continue. */
export function describeFailure(error: unknown): string {
  if (error instanceof GuildbookError) {
    const hint = HINTS[error.problem.code];
    return `${error.message} (${error.problem.code})${hint ? `\n${hint}` : ''}`;
  }
  if (error instanceof NoResponseError) return describeNoResponse(error);
  return messageOf(error);
}

function describeNoResponse({ server, reason, cause }: NoResponseError): string {
  if (reason === 'timeout')
    return `${server} did not respond in time and may still be working. To check: guildbook status`;
  const code = codeOf(cause);
  return `${server} does not respond${code ? ` (${code})` : ''}. If the server is not running, start it with: guildbook serve`;
}

/** `fetch` puts the reason of a failure into the cause of its error. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

export function fail(error: unknown): never {
  printError(`Error: ${describeFailure(error)}`);
  process.exit(1);
}
