import { describe, expect, it } from '@jest/globals';
import { serverAddress } from './server-address.js';

describe('the address of a server', () => {
  it.each([
    ['http://127.0.0.1:4747', 'http://127.0.0.1:4747'],
    ['http://127.0.0.1:4747/', 'http://127.0.0.1:4747'],
    ['HTTPS://Guildbook.Example.org', 'https://guildbook.example.org'],
    ['http://[::1]:4747', 'http://[::1]:4747'],
  ])('has one spelling: %s', (given, expected) => {
    expect(serverAddress(given)).toBe(expected);
  });

  it.each(['', 'localhost', 'localhost:4747', '127.0.0.1:4747', 'file:///etc/hosts', 'http://'])(
    'is not "%s"',
    (given) => {
      expect(() => serverAddress(given)).toThrow('Write it like http://');
    },
  );

  it.each(['http://example.org/guildbook', 'http://example.org/?a=b', 'http://me@example.org'])(
    'holds no path, query or user, which would be dropped in silence: %s',
    (given) => {
      expect(() => serverAddress(given)).toThrow('The address of the server is http://example.org');
    },
  );
});
