import { describe, expect, it } from '@jest/globals';
import { firstStartNotice } from './first-start-notice.js';

const URL = 'http://127.0.0.1:4747';
const expiresAt = new Date('2026-03-31T18:00:00Z');
const issued = { state: 'issued', token: 'gbo_the-token', file: '/data/admin-token', expiresAt, given: false } as const;

describe('the notice of a start', () => {
  it('shows the token on a terminal', () => {
    expect(firstStartNotice(issued, URL, true)).toContain(`guildbook login --server ${URL} --token gbo_the-token`);
  });

  it.each(['issued', 'invited'] as const)('names the file elsewhere, and not the token: %s', (state) => {
    const notice = firstStartNotice({ ...issued, state }, URL, false) ?? '';
    expect(notice).toContain('--token - < /data/admin-token');
    expect(notice).not.toContain('gbo_');
  });

  it.each([
    [{ ...issued, token: undefined, file: undefined, given: true }, 'the one-time token of GUILDBOOK_ADMIN_TOKEN'],
    [{ state: 'invited', expiresAt, given: false }, 'issued by another process or an earlier start'],
    [{ state: 'spent', given: true }, 'Set a new one and start again'],
  ] as const)('says how an administrator signs in', (access, expected) => {
    const { token: _none, file: _no, ...rest } = { token: undefined, file: undefined, ...access };
    for (const isTerminal of [true, false]) expect(firstStartNotice(rest, URL, isTerminal)).toContain(expected);
  });

  it('is absent once an administrator has signed in', () => {
    expect(firstStartNotice({ state: 'signed_in', given: false }, URL, true)).toBeUndefined();
  });
});
