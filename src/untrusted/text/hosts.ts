import { isIPv4, isIPv6 } from 'node:net';

/** Top-level domains that are seldom the last part of a file name or an expression in code. */
const DOMAINS = new Set(
  'com org net edu gov mil int biz io ai dev cloud tech xyz online site eu de uk fr nl ch se dk fi pl cz ru ua jp cn kr tw br au nz za mx internal intranet local localdomain lan corp arpa'.split(
    ' ',
  ),
);

/** Also words in code (`logging.info`, `self.app`): taken for a domain only after two labels or more. */
const DOMAINS_LIKE_WORDS = new Set(
  'app info me co us ca in it is at be no es to tv cc id pt ie sh run page zone host name pro home'.split(' '),
);

/** What expressions in code begin with. */
const CODE_ROOTS = new Set(
  'self this cls super req request res response ctx context config window document process module exports os sys app'.split(
    ' ',
  ),
);

/** Whether dotted labels name a host on a network, rather than a file, a version or an attribute. */
export function isHostName(name: string): boolean {
  const labels = name.toLowerCase().split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || !labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))) return false;
  if (DOMAINS.has(last)) return true;
  return labels.length > 2 && DOMAINS_LIKE_WORDS.has(last) && !CODE_ROOTS.has(labels[0] ?? '');
}

/** Whether it is an address of some machine: not the own one, and not a version or a slice such as `::2`. */
export function isAddress(text: string): boolean {
  if (isIPv4(text)) return !/^(?:127\.|0\.0\.0\.0$|255\.)/.test(text);
  const groups = text.split(':').filter((group) => group !== '');
  return groups.length > 1 && groups.some((group) => group.length > 2) && isIPv6(text);
}
