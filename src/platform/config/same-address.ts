const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns whether two addresses name the same server: host and port, whatever their spelling, scheme or path. It cannot
 * know that two names lead to one machine.
 */
export const isSameAddress = (one: string, other: string): boolean => serverOf(one) === serverOf(other);

function serverOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/\.$/, '');
  return `${LOOPBACK.test(host) ? 'loopback' : host}:${port || (protocol === 'http:' ? '80' : '443')}`;
}
