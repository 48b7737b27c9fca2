import { redact } from '../../untrusted/redaction/redact.js';

/**
 * The address from which people clone the remote, without what could be a credential: no password, query or fragment,
 * and no user name of https:. The account of ssh: stays, because a host refuses every other one. Null for a folder,
 * which lies on the server's machine, and for an address in which a secret is found.
 */
export function cloneAddress(remote: string): string | null {
  if (!URL.canParse(remote)) return null;
  const { protocol, username, host, pathname } = new URL(remote);
  if (protocol !== 'https:' && protocol !== 'ssh:') return null;
  const account = protocol === 'ssh:' && username !== '' ? `${username}@` : '';
  const address = `${protocol}//${account}${host}${pathname}`;
  return redact(address).redactions.length === 0 ? address : null;
}
