import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DomainError } from '../platform/base/domain.errors.js';

const MAX_LENGTH = 2_000;
const PORTS = ['', '443', '8443'];
/** Names that stay on the machine or in the local network. Other names are judged by the addresses they resolve to. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home|intranet|corp|arpa)$/;
/** The range of global unicast addresses. Addresses outside it belong to private networks. */
const IPV6_GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** In the public range, but reserved by the cloud provider: its metadata and name server. */
const CLOUD_ADDRESSES = new Set(['168.63.129.16']);
const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** The host to connect to, without brackets and a trailing dot. */
export const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Why no message may be sent to this address, as far as the text shows; undefined if it is allowed. */
export function addressProblem(text: string, allowPrivate: boolean): string | undefined {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return 'is not an address';
  const address = new URL(text);
  const host = hostOf(address);
  if (address.protocol !== 'https:' && !(allowPrivate && address.protocol === 'http:')) return 'must begin with https:';
  if (address.username !== '' || address.password !== '') return 'must hold no user name and no password';
  if (address.hash !== '') return 'must hold no fragment';
  if (isIP(host) !== 0) return ipProblem(host, address.protocol, allowPrivate);
  if (allowPrivate) return undefined;
  if (!PORTS.includes(address.port)) return 'must use port 443 or 8443';
  if (!host.includes('.') || LOCAL_NAME.test(host)) return 'is a name of the local network';
  return undefined;
}

/** Throws `invalid` for an address that nothing may be sent to. */
export function requireAddress(url: string, allowPrivate: boolean, code: string): void {
  const message = addressProblem(url, allowPrivate);
  if (message !== undefined)
    throw new DomainError('invalid', code, `The address ${message}.`, [{ field: 'url', message }]);
}

/**
 * Why no message may be sent to this IP address; undefined if it is allowed. Every address that a name resolves to is
 * checked.
 */
export function ipProblem(ip: string, protocol: string, allowPrivate: boolean): string | undefined {
  const parsed = ipaddr.parse(ip);
  const range = parsed.range();
  if (protocol === 'http:' && range !== 'loopback') return 'must begin with https:';
  if (allowPrivate && PRIVATE_RANGES.has(range)) return undefined;
  const isGlobal = range === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(IPV6_GLOBAL));
  return isGlobal && !CLOUD_ADDRESSES.has(ip) ? undefined : 'leads to an address that is not public';
}
