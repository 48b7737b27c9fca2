import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Config } from '../config/config.js';

const WILDCARDS = new Set(['0.0.0.0', '::']);
const LOOPBACK =
  /^(?:localhost|(?:.{1,200}\.)?localhost|127(?:\.\d{1,3}){3}|::1|0:0:0:0:0:0:0:1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Returns the host of a `Host` header or an authority, without port, brackets and a last dot; undefined if it has none. */
export function hostOf(authority: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([^\s:/?#@[\]]{1,253}))(?::\d{1,5})?$/.exec(authority) ?? [];
  return (bracketed ?? plain)?.toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a request may name this host. A page of another site reaches this server under its own name if that name
 * resolves to this machine (DNS rebinding), and then counts as one of our pages: the name gives it away. So only the
 * names of this server pass: loopback, the address that it listens on, and the public URL. A server that listens on
 * every address also answers to its host name and to any address, which no other site can have as its name.
 */
export function isAllowedHost(
  host: string | undefined,
  config: Pick<Config, 'host' | 'publicUrl'>,
  machine = hostname(),
): boolean {
  if (host === undefined) return false;
  if (LOOPBACK.test(host)) return true;
  if (config.publicUrl !== undefined && host === hostOf(new URL(config.publicUrl).host)) return true;
  if (!WILDCARDS.has(config.host)) return host === config.host.toLowerCase();
  return isIP(host) !== 0 || host === machine.toLowerCase();
}

/** Whether a page of this origin may send requests: one that a browser would show under an allowed host. */
export function isAllowedOrigin(origin: string, config: Pick<Config, 'host' | 'publicUrl'>): boolean {
  const authority = /^https?:\/\/([^/?#]{1,300})$/.exec(origin)?.[1];
  return authority !== undefined && isAllowedHost(hostOf(authority), config);
}
