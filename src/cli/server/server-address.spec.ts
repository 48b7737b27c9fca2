import { describe, expect, it } from '@jest/globals';
import { serverAddress } from './sign-in-file.js';

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
      expect(() => serverAddress(given)).toThrow('Example: http://');
    },
  );

  it.each(['http://example.org/guildbook', 'http://example.org/?a=b', 'http://me@example.org'])(
    'has no path, query or user, since they would be ignored: %s',
    (given) => {
      expect(() => serverAddress(given)).toThrow('Use http://example.org');
    },
  );
});
