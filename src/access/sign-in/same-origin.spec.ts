import { describe, expect, it } from '@jest/globals';
import { isSameOrigin } from './same-origin.js';

const OWN = 'https://guildbook.example.org';

describe('a request with a cookie that changes something', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['our own page', 'same-origin', OWN, true],
    ['our own page whose origin a proxy changed', 'same-origin', 'http://guildbook.example.org', true],
    ['our own page in an old browser', undefined, OWN, true],
    ['a client without origin headers', undefined, undefined, false],
    ['a foreign page', 'cross-site', 'https://elsewhere.example', false],
    ['a foreign page that claims our origin', 'cross-site', OWN, false],
    ['a sibling subdomain', 'same-site', 'https://wiki.example.org', false],
    ['a bookmark or a typed address', 'none', undefined, false],
    ['a sandboxed frame in an old browser', undefined, 'null', false],
    ['an origin that begins like ours', undefined, `${OWN}.elsewhere.example`, false],
    ['our host without TLS', undefined, 'http://guildbook.example.org', false],
    ['our host on another port', undefined, `${OWN}:8443`, false],
    ['a word that no browser says', 'same-origin, cross-site', OWN, false],
  ])('from %s', (_who, site, origin, expected) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
      expect(isSameOrigin({ method, site, origin }, OWN)).toBe(expected);
  });
});

describe('a request with a cookie that reads', () => {
  it('is accepted from our pages, when typed or followed, and not when another page loads it', () => {
    for (const method of ['GET', 'HEAD']) {
      for (const site of [undefined, 'same-origin', 'none']) expect(isSameOrigin({ method, site }, OWN)).toBe(true);
      for (const site of ['cross-site', 'same-site']) {
        for (const mode of ['cors', 'no-cors', undefined])
          expect(isSameOrigin({ method, site, mode }, OWN)).toBe(false);
        expect(isSameOrigin({ method, site, mode: 'navigate' }, OWN)).toBe(true);
      }
    }
  });
});
