import { isIPv4, isIPv6 } from 'node:net';
import { DOMAINS_IN_CODE, DOMAINS_OF_FILES, TOP_LEVEL_DOMAINS } from './top-level-domains.js';

/** Top-level domains that are rarely the last part of a file name or of an expression in code. */
const DOMAINS = new Set(
  'com org net edu gov mil int biz io ai dev cloud tech xyz online site eu de uk fr nl ch se dk fi pl cz ru ua jp cn kr tw br au nz za mx internal intranet local localdomain lan corp arpa'.split(
    ' ',
  ),
);

/**
 * Top-level domains that are also words in code (`logging.info`, `self.app`): accepted only after at least two labels.
 */
const DOMAINS_LIKE_WORDS = new Set(
  'app info me co us ca in it is at be no es to tv cc id pt ie sh run page zone host name pro home'.split(' '),
);

/** First words of expressions in code. */
const CODE_ROOTS = new Set(
  'self this cls super req request res response ctx context config window document process module exports os sys app'.split(
    ' ',
  ),
);

/**
 * True if dotted labels name a host on a network and not a file, a version or an attribute. A word with a hyphen before
 * the last label, as in `build-3.acme.systems`, is never part of a name in code.
 */
export function isHostName(name: string): boolean {
  const labels = name.toLowerCase().split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || !labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))) return false;
  if (DOMAINS.has(last)) return true;
  const isLong = labels.length > 2 && !CODE_ROOTS.has(labels[0] ?? '');
  if (isLong && DOMAINS_LIKE_WORDS.has(last)) return true;
  if (!TOP_LEVEL_DOMAINS.has(last) || DOMAINS_OF_FILES.has(last)) return false;
  if (labels.slice(0, -1).some((label) => /^[a-z][^-]*-/.test(label))) return true;
  return isLong && name === name.toLowerCase() && !DOMAINS_IN_CODE.has(last);
}

/** True for the IP address of another machine; false for the local one, and for a version or a slice such as `::2`. */
export function isAddress(text: string): boolean {
  if (isIPv4(text)) return !/^(?:127\.|0\.0\.0\.0$|255\.)/.test(text);
  const groups = text.split(':').filter((group) => group !== '');
  return groups.length > 1 && groups.some((group) => group.length > 2) && isIPv6(text);
}
