import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SERVER, type Session, serverOf } from './session.js';

const SIGNED_IN: Session = {
  server: 'http://signed-in.example.org',
  token: 'gbp_example',
  expiresAt: '2026-03-01T12:00:00Z',
  name: 'Rosa',
};

describe('which server a command talks to', () => {
  it('is the server of the option, before that of the sign-in', () => {
    expect(serverOf({ server: 'http://other.example.org/' }, SIGNED_IN)).toBe('http://other.example.org');
  });

  it('is the server of the last sign-in', () => {
    expect(serverOf({}, SIGNED_IN)).toBe(SIGNED_IN.server);
  });

  it('is the server on this machine without a sign-in', () => {
    expect(serverOf({}, undefined)).toBe(DEFAULT_SERVER);
  });
});
