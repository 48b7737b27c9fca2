import { describe, expect, it } from '@jest/globals';
import { clearCookie, readCookie, SESSION_COOKIE, setCookie } from './cookie.js';

describe('a cookie', () => {
  it('is for our host only, over https, and inaccessible to scripts and other sites', () => {
    expect(setCookie(SESSION_COOKIE, 'gbw_x', 3_599.7)).toBe(
      '__Host-guildbook=gbw_x; Path=/; Max-Age=3599; HttpOnly; Secure; SameSite=Strict',
    );
    expect(clearCookie(SESSION_COOKIE)).toContain('__Host-guildbook=; Path=/; Max-Age=0;');
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['among others', 'a=1; __Host-guildbook=gbw_x; b=2', 'gbw_x'],
    ['with = in it', '__Host-guildbook=a=b', 'a=b'],
    ['missing', 'a=1', undefined],
    ['no cookies', undefined, undefined],
    ['under a name that begins like it', '__Host-guildbook-sign-in=x; __Host-guildbook2=y', undefined],
    ['under a name that ends like it', 'x__Host-guildbook=y', undefined],
    ['in another case', '__host-guildbook=x', undefined],
    ['twice', '__Host-guildbook=a; __Host-guildbook=b', undefined],
  ])('is read %s', (_how, header, value) => {
    expect(readCookie(header, SESSION_COOKIE)).toBe(value);
  });
});
