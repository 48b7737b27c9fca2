const PROTOCOLS = ['https', 'ssh', 'file'] as const;
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9][A-Za-z0-9_-]*)*$/;
const LENGTH = 500;

export type RemoteProtocol = (typeof PROTOCOLS)[number];

/** The protocol of an address that the server may push to, or why it may not. */
export function gitRemote(remote: string): { readonly protocol: RemoteProtocol } | { readonly problem: string } {
  const url = URL.canParse(remote) ? new URL(remote) : undefined;
  const protocol = PROTOCOLS.find((allowed) => url?.protocol === `${allowed}:` && remote.startsWith(`${allowed}://`));
  if (!url || !protocol) return { problem: 'the remote must be an https:, ssh: or file: address' };
  // Printable characters only, so that a setting cannot be cut short. A password would appear in messages and logs.
  if (remote.length > LENGTH || !/^[!-~]+$/.test(remote) || url.password !== '')
    return { problem: 'the remote must hold neither spaces nor a password' };
  // Git decodes the address before it calls ssh, which would read a host that starts with a hyphen as an option.
  const [host, user] = [decoded(url.hostname), decoded(url.username)];
  if (host === undefined || user === undefined || /^-/.test(host) || /^-/.test(user))
    return { problem: 'the remote must not start with a hyphen' };
  if (protocol === 'file' ? host !== '' || url.pathname === '/' : host === '')
    return { problem: 'the remote must name a host, or for file: only a folder' };
  return { protocol };
}

/** True for a branch that git accepts and that is neither an option nor two references. */
export function isGitBranch(name: string): boolean {
  return BRANCH.test(name) && name.length <= 200 && !/\.lock(?:\/|$)/.test(name);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
