import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SERVER, serverOf, tokenFor } from './session.js';
import { NO_SIGN_INS, type SignIns, withSignIn } from './sign-in-file.js';

const HERE = 'http://127.0.0.1:4747';
const PRODUCTION = 'https://guildbook.example.org';
const TEST = 'https://test.example.org';

const signedIn = (...servers: string[]): SignIns =>
  servers.reduce(
    (signIns, server) =>
      withSignIn(signIns, { server, person: 'Rosa', token: `token of ${server}`, expiresAt: '2026-03-01T12:00:00Z' }),
    NO_SIGN_INS,
  );
const named = withSignIn(signedIn(TEST), {
  server: PRODUCTION,
  name: 'prod',
  person: 'Rosa',
  token: 'gbp_example',
  expiresAt: '2026-03-01T12:00:00Z',
});

describe('which server a command talks to', () => {
  it('is the server of the option, before GUILDBOOK_SERVER and the current one', () => {
    const variables = { server: TEST };
    expect(serverOf({ server: `${HERE}/` }, signedIn(PRODUCTION), variables)).toBe(HERE);
    expect(serverOf({}, signedIn(PRODUCTION), variables)).toBe(TEST);
    expect(serverOf({}, signedIn(TEST, PRODUCTION), {})).toBe(PRODUCTION);
  });

  it('can be given by its short name', () => {
    expect(serverOf({ server: 'prod' }, named, {})).toBe(PRODUCTION);
    expect(serverOf({}, named, { server: 'prod' })).toBe(PRODUCTION);
  });

  it('is the server on this machine without a sign-in', () => {
    expect(serverOf({}, NO_SIGN_INS, {})).toBe(DEFAULT_SERVER);
  });
});

describe('the token for a server', () => {
  it('is that of the sign-in there, and there is none for any other server', () => {
    expect(tokenFor(TEST, signedIn(TEST, PRODUCTION), {})).toBe(`token of ${TEST}`);
    expect(tokenFor(HERE, signedIn(TEST, PRODUCTION), {})).toBeUndefined();
  });

  it('is GUILDBOOK_TOKEN for the server that GUILDBOOK_SERVER names, and for no other', () => {
    const variables = { server: PRODUCTION, token: 'gbt_agent' };
    expect(tokenFor(PRODUCTION, signedIn(TEST, PRODUCTION), variables)).toBe('gbt_agent');
    expect(tokenFor(TEST, signedIn(TEST, PRODUCTION), variables)).toBe(`token of ${TEST}`);
    expect(tokenFor(HERE, signedIn(TEST, PRODUCTION), variables)).toBeUndefined();
    expect(tokenFor(PRODUCTION, named, { server: 'prod', token: 'gbt_agent' })).toBe('gbt_agent');
  });

  it('is GUILDBOOK_TOKEN alone only where one server can have issued it', () => {
    const variables = { token: 'gbt_agent' };
    expect(tokenFor(TEST, NO_SIGN_INS, variables)).toBe('gbt_agent');
    expect(tokenFor(PRODUCTION, signedIn(PRODUCTION), variables)).toBe('gbt_agent');
    expect(tokenFor(TEST, signedIn(PRODUCTION), variables)).toBeUndefined();
    expect(() => tokenFor(TEST, signedIn(TEST, PRODUCTION), variables)).toThrow('Set GUILDBOOK_SERVER');
  });
});
