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

export type CodeHostKind = 'github' | 'gitlab';

/** Where a host answers for the repository of a remote. */
export interface CodeHost {
  readonly kind: CodeHostKind;
  /** The address of its API, without a slash at its end. */
  readonly api: string;
  /** `owner/name`; at GitLab with all groups. */
  readonly project: string;
}

/**
 * The API of the host of a remote, or undefined if the address does not tell: a folder has no host, and a repository at
 * GitHub has an owner. `api` is another address of the API.
 */
export function codeHost(kind: CodeHostKind, remote: string, api?: string): CodeHost | undefined {
  if (!URL.canParse(remote)) return undefined;
  const { protocol, hostname, host, pathname } = new URL(remote);
  const isFolder = protocol === 'file:';
  if (isFolder && api === undefined) return undefined;
  const parts = pathname
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '');
  // Only the last two are the repository's: before them is a path of the server.
  const own = kind === 'github' || isFolder ? parts.slice(-2) : parts;
  if (own.length < 2 || !own.every((part) => PROJECT_PART.test(part))) return undefined;
  // The port of ssh: is not that of the API.
  const web = protocol === 'https:' ? host : hostname;
  const derived =
    kind === 'gitlab'
      ? `https://${web}/api/v4`
      : web === 'github.com'
        ? 'https://api.github.com'
        : `https://${web}/api/v3`;
  return { kind, api: (api ?? derived).replace(/\/+$/, ''), project: own.join('/') };
}

const PROJECT_PART = /^(?!\.{1,2}$)[\w.-]{1,200}$/;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
