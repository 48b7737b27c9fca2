import { GuildbookError, NoAnswerError } from '../../client/guildbook.js';
import { messageOf } from '../../platform/base/error-text.js';
import { printError } from './terminal.js';

const HINTS: Readonly<Record<string, string>> = {
  'access.unknown': 'Is it complete, and of this server?',
  'access.already_used': 'Sign in again without it: guildbook login (or ask an administrator for a new invitation)',
  'access.expired':
    'Sign in again with: guildbook login (the token of an agent or service: guildbook agents rotate <id>)',
  'access.revoked': 'This credential was revoked. Ask an administrator for a new invitation.',
  'access.not_a_person': 'Deciding needs a signed-in person: guildbook login',
  'access.scope_missing': 'What you may do: guildbook whoami',
  'proposal.artifact_changed': 'Read it again with: guildbook proposals show <id>',
};

/** Says what went wrong and what to do about it. */
export function describeFailure(error: unknown): string {
  if (error instanceof GuildbookError) {
    const hint = HINTS[error.problem.code];
    return `${error.message} (${error.problem.code})${hint ? `\n${hint}` : ''}`;
  }
  if (error instanceof NoAnswerError) return describeNoResponse(error);
  return messageOf(error);
}

function describeNoResponse({ server, reason, cause }: NoAnswerError): string {
  if (reason === 'timeout') return `${server} took too long to answer. It may still be at work: guildbook status`;
  const code = codeOf(cause);
  return `${server} does not answer${code ? ` (${code})` : ''}. Is the server running there? Start it with: guildbook serve`;
}

/** Fetch hides what happened in its error's cause. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

export function fail(error: unknown): never {
  printError(`Error: ${describeFailure(error)}`);
  process.exit(1);
}
