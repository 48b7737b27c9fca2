import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestIdOf } from './request-id.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const accept = () => true;

describe('the id of a request', () => {
  it.each(['0af7651916cd43dd8448eb211c80319c', 'gateway-7:42/eu+1=a', '11111111-2222-4333-8444-555555555555'])(
    'is the one that the caller sent: %s',
    (id) => {
      expect(requestIdOf(id, accept)).toBe(id);
    },
  );

  it.each([
    undefined,
    '',
    'short',
    'x'.repeat(65),
    'two words here',
    'line\nbreak-in-it',
    ['a-request-id', 'another-id'],
  ])('is new if the caller sent none that can be used: %j', (given) => {
    expect(requestIdOf(given, accept)).toMatch(UUID);
  });

  it('is new if the one that was sent holds a credential', () => {
    expect(requestIdOf('a-credential-of-a-caller', () => false)).toMatch(UUID);
  });

  it('has at most 64 printable characters, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        expect(requestIdOf(given, accept)).toMatch(/^[!-~]{8,64}$/);
      }),
    );
  });
});
