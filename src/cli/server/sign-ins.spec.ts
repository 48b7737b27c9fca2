import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addressOf,
  checkShortName,
  NO_SIGN_INS,
  type SignIn,
  type SignIns,
  signInAt,
  withoutServer,
  withSignIn,
} from './sign-in-file.js';

const TEST = 'https://test.example.org';
const PRODUCTION = 'https://guildbook.example.org';
const at = (server: string, more: Partial<SignIn> = {}): SignIn => ({
  server,
  person: 'Rosa',
  token: 'gbp_example',
  expiresAt: '2026-03-01T12:00:00Z',
  ...more,
});
const all = (...signIns: SignIn[]): SignIns => signIns.reduce(withSignIn, NO_SIGN_INS);

describe('the sign-ins of a user', () => {
  it('are one for each server, and the latest is the current one', () => {
    const signIns = all(at(TEST), at(PRODUCTION), at(TEST, { token: 'newer' }));
    expect(signIns.current).toBe(TEST);
    expect(signIns.servers.map(({ server, token }) => [server, token])).toEqual([
      [PRODUCTION, 'gbp_example'],
      [TEST, 'newer'],
    ]);
  });

  it('keep the short name of a server when it is signed in again', () => {
    const signIns = all(at(PRODUCTION, { name: 'prod' }), at(PRODUCTION));
    expect(addressOf(signIns, 'prod')).toBe(PRODUCTION);
    expect(addressOf(withSignIn(signIns, at(PRODUCTION, { name: 'live' })), 'live')).toBe(PRODUCTION);
  });

  it('have no current server after the current one is gone, so that no command reaches another by accident', () => {
    const signIns = all(at(TEST), at(PRODUCTION));
    expect(withoutServer(signIns, PRODUCTION)).toMatchObject({ current: null, servers: [{ server: TEST }] });
    expect(withoutServer(signIns, TEST)).toMatchObject({ current: PRODUCTION, servers: [{ server: PRODUCTION }] });
  });

  it('never share a name or a server, in whatever order servers come and go', () => {
    const step = fc.record({
      port: fc.integer({ min: 1, max: 4 }),
      name: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let signIns = NO_SIGN_INS;
        for (const { port, name, gone } of steps) {
          const server = `http://127.0.0.1:${port}`;
          signIns = gone
            ? withoutServer(signIns, server)
            : withSignIn(signIns, at(server, name === undefined ? {} : { name }));
          expect(signInAt(signIns, server) === undefined).toBe(gone);
        }
        const servers = signIns.servers.map(({ server }) => server);
        const names = signIns.servers.flatMap(({ name }) => name ?? []);
        expect(new Set(servers).size).toBe(servers.length);
        expect(new Set(names).size).toBe(names.length);
        if (signIns.current !== null) expect(servers).toContain(signIns.current);
      }),
    );
  });
});

describe('the short name of a server', () => {
  it.each(['', 'http://x', 'a:1', '-x', 'a b', 'x'.repeat(41), 'a\u001b[2J'])('is not "%s"', (name) => {
    expect(() => checkShortName(NO_SIGN_INS, TEST, name)).toThrow('--name: must be');
  });

  it('is not the name of another server', () => {
    const signIns = all(at(PRODUCTION, { name: 'prod' }));
    expect(() => checkShortName(signIns, TEST, 'prod')).toThrow(`"prod" is the name of ${PRODUCTION}`);
    expect(() => checkShortName(signIns, PRODUCTION, 'prod')).not.toThrow();
  });

  it('is listed for a name that no server has', () => {
    expect(() => addressOf(all(at(PRODUCTION, { name: 'prod' })), 'prd')).toThrow('Named servers: prod.');
    expect(() => addressOf(NO_SIGN_INS, 'prd')).toThrow('"prd" is not a server address');
  });
});
