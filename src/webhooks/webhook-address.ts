import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAX_LENGTH = 2_000;
const PORTS = ['', '443', '8443'];
/** Names that never leave the machine or the local network. The rest is decided by what a name resolves to. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home|intranet|corp|arpa)$/;
/** What every name and machine on the Internet has; all that lies outside of it is for somebody's own network. */
const IPV6_GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** In the public range, and yet of the cloud in which we run: its metadata and name server. */
const CLOUD_ADDRESSES = new Set(['168.63.129.16']);
const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** The name or address that is connected to: without brackets and a dot at the end. */
export const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Why a message must not go to that address, as far as the text shows it; undefined where nothing is wrong. */
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

/** Why nothing is sent to this IP address. Asked of every address that a name resolves to. */
export function ipProblem(ip: string, protocol: string, allowPrivate: boolean): string | undefined {
  const parsed = ipaddr.parse(ip);
  const range = parsed.range();
  if (protocol === 'http:' && range !== 'loopback') return 'must begin with https:';
  if (allowPrivate && PRIVATE_RANGES.has(range)) return undefined;
  const isGlobal = range === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(IPV6_GLOBAL));
  return isGlobal && !CLOUD_ADDRESSES.has(ip) ? undefined : 'leads to an address that is not public';
}
