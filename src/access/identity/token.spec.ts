import { describe, expect, it } from '@jest/globals';
import { bearerToken, hashToken, mintToken } from './token.js';

const SECRET = 'q'.repeat(43);

describe('a token', () => {
  it.each([
    ['one_time', 'gbo_'],
    ['sign_in', 'gbs_'],
    ['personal', 'gbp_'],
    ['token', 'gbt_'],
  ] as const)('shows by its prefix that it is a %s', (kind, prefix) => {
    const { token } = mintToken(kind, SECRET);
    expect(token).toBe(prefix + SECRET);
    expect(bearerToken(`Bearer ${token}`)).toBe(token);
  });

  it('is stored as its hash and a prefix with at most six characters of the secret', () => {
    const { token, hash, prefix } = mintToken('token', SECRET);
    expect(hash).toBe(hashToken(token));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashToken(`${token} `)).not.toBe(hash);
    expect(prefix).toBe('gbt_qqqqqq');
  });

  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['the token without a scheme', `gbp_${SECRET}`],
    ['another scheme', `Basic gbp_${SECRET}`],
    ['another token', `Bearer ghp_${SECRET}`],
    ['a short token', 'Bearer gbp_abc'],
    ['an endless token', `Bearer gbp_${'q'.repeat(5_000)}`],
    ['something behind the token', `Bearer gbp_${SECRET} gbp_${SECRET}`],
    ['something before the scheme', `x Bearer gbp_${SECRET}`],
    ['a line break in it', `Bearer gbp_${SECRET}\nx`],
    ['other characters', `Bearer gbp_${SECRET}%20`],
  ])('is not accepted from %s', (_what, header) => {
    expect(bearerToken(header)).toBeUndefined();
  });
});
