import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { safeReturnPath } from './return-path.js';

describe('where a sign-in returns to', () => {
  it('is a page of this site', () => {
    for (const page of ['/', '/review/4?view=split', '/skills/a-b', '/?q=%2F%2Fhost'])
      expect(safeReturnPath(page)).toBe(page);
  });

  it('is never another site, however a browser interprets the address', () => {
    for (const elsewhere of [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/\n//evil.example',
      ' //evil.example',
      '/..//evil.example',
      '/.//evil.example',
      '/%2e%2e//evil.example',
      '/a\\..\\..\\evil',
      '',
      'review',
      undefined,
    ])
      expect([elsewhere, safeReturnPath(elsewhere)]).toEqual([elsewhere, undefined]);
  });

  it('is not the sign-in page, which would loop', () => {
    for (const page of ['/sign-in', '/sign-in?token=x', '/sign-in/oidc', '/sign-out', '/a/../sign-in'])
      expect(safeReturnPath(page)).toBeUndefined();
  });

  it('stays on this site for every text', () => {
    const own = 'https://guildbook.example.org';
    const path = fc.array(fc.constantFrom('/', '\\', '.', '%2f', '%5c', 'a', '@', ':', '?', '#', '\t'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(path, (parts) => {
        const address = safeReturnPath(`/${parts.join('')}`);
        if (address !== undefined) expect(new URL(address, own).origin).toBe(own);
      }),
    );
  });
});
