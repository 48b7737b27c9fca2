import type { AdministratorAccess } from './first-start.service.js';

/**
 * What a start tells the operator about the first sign-in; undefined if an administrator has signed in. The token itself
 * is shown only on a terminal: other output is kept in logs, which more people can read.
 */
export function firstStartNotice(access: AdministratorAccess, url: string, isTerminal: boolean): string | undefined {
  const { state, token, file, expiresAt, given } = access;
  if (state === 'signed_in') return undefined;
  if (state === 'spent')
    return 'No administrator can sign in, and the token of GUILDBOOK_ADMIN_TOKEN was used, revoked or has expired. Set a new one and start again.';
  const validUntil = `valid until ${expiresAt?.toISOString() ?? 'unknown'}`;
  if (given)
    return `No administrator has signed in yet. Sign in with the one-time token of GUILDBOOK_ADMIN_TOKEN (${validUntil}).`;
  if (token === undefined)
    return `No administrator has signed in yet. A one-time token was issued by another process or an earlier start (${validUntil}). If it is lost, set GUILDBOOK_ADMIN_TOKEN and start again.`;
  if (!isTerminal)
    return `No administrator has signed in yet. The one-time token (${validUntil}) is in the file ${file}:\n  guildbook login --server ${url} --token - < ${file}`;
  return `No administrator has signed in yet. Sign in with this one-time token (${validUntil}; also in the file ${file}), in a second terminal:\n  guildbook login --server ${url} --token ${token}\nor in a browser on this machine:\n  ${url}/sign-in?token=${token}`;
}
