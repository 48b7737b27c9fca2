import { describe, expect, it } from '@jest/globals';
import { hostOf, isAllowedHost, isAllowedOrigin } from './web-server.js';

const LOCAL = { host: '127.0.0.1', publicUrl: undefined };
const EVERYWHERE = { host: '0.0.0.0', publicUrl: undefined };

describe('the hosts that a request may name', () => {
  it.each([
    ['localhost:4747', 'localhost'],
    ['LocalHost.', 'localhost'],
    ['[::1]:4747', '::1'],
    ['192.0.2.7', '192.0.2.7'],
    ['a b', undefined],
    ['user@localhost', undefined],
    ['localhost/path', undefined],
    ['localhost:port', undefined],
    ['', undefined],
  ])('reads %j', (authority, host) => {
    expect(hostOf(authority)).toBe(host);
  });

  it.each(['localhost', 'app.localhost', '127.0.0.1', '127.9.9.9', '::1'])('always include loopback: %s', (host) => {
    for (const config of [LOCAL, EVERYWHERE, { host: '::', publicUrl: 'https://guildbook.example.org' }])
      expect(isAllowedHost(host, config)).toBe(true);
  });

  it.each([
    ...['attacker.example', 'localhost.attacker.example', '127.0.0.1.nip.example', 'notlocalhost'],
    ...['192.0.2.7', '2001:db8::7', 'machine', '0.0.0.0'],
  ])('are no others on a server of this machine only: %s', (host) => {
    expect(isAllowedHost(host, LOCAL, 'machine')).toBe(false);
  });

  it('include addresses and the machine’s name on a server that listens on every address, but no other name', () => {
    for (const host of ['192.0.2.7', '2001:db8::7', 'machine'])
      expect(isAllowedHost(host, EVERYWHERE, 'Machine')).toBe(true);
    for (const host of ['attacker.example', '192.0.2.7.attacker.example', 'machine.attacker.example'])
      expect(isAllowedHost(host, EVERYWHERE, 'machine')).toBe(false);
  });

  it('include the configured host and the host of the public URL', () => {
    const config = { host: 'books.internal', publicUrl: 'https://guildbook.example.org:8443' };
    for (const host of ['books.internal', 'guildbook.example.org']) expect(isAllowedHost(host, config)).toBe(true);
    expect(isAllowedHost('example.org', config)).toBe(false);
  });

  it('are those of an origin, too', () => {
    for (const origin of ['http://localhost:4747', 'https://127.0.0.1', 'http://[::1]:1'])
      expect(isAllowedOrigin(origin, LOCAL)).toBe(true);
    for (const origin of [
      'null',
      '',
      'https://attacker.example',
      'file://localhost',
      'http://localhost@attacker.example',
    ])
      expect(isAllowedOrigin(origin, LOCAL)).toBe(false);
  });
});
