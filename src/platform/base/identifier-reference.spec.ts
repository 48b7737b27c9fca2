import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IDENTIFIER_FORMATS } from '../../../test/support/identifier-formats.js';
import { identifierKey, identifierReference } from './identifier-reference.js';

const KEY = Buffer.alloc(32, 7);
const of = (identifier: string): string => identifierReference(KEY, identifier);
const identifiers = fc.string({ minLength: 1, maxLength: 200, unit: 'binary' });

describe('the reference of an identifier', () => {
  it.each([
    ['resp_68f1', /^resp~[a-z]{32}$/],
    ['chatcmpl-9xYz', /^chatcmpl~[a-z]{32}$/],
    ['run-2026-03-31-x', /^run~[a-z]{32}$/],
    ['01HV8X2J9QK3M5N7P9R1S3T5V7', /^id~[a-z]{32}$/],
    ['42', /^id~[a-z]{32}$/],
    ['ghp_abc', /^ghp~[a-z]{32}$/],
    ['password-of-the-day', /^id~[a-z]{32}$/],
    ['sk-abc', /^id~[a-z]{32}$/],
    ['hunter', /^id~[a-z]{32}$/],
  ])('of %s keeps at most a harmless beginning of its text', (identifier, expected) => {
    expect(of(identifier)).toMatch(expected);
  });

  it('keeps the format and the digest of an imported id, by which a session that grew is found again', () => {
    const session = '3b0e2f1c-9d55-4b6e-8a53-6d1c2b3a4f50';
    expect(of(`claude-code:${session}:0a1b2c3d`)).toBe(`claude-code:${of(session)}:0a1b2c3d`);
    expect(of(`otel:${'c'.repeat(32)}:b1:0a1b2c3d`)).toBe(`otel:${of('c'.repeat(32))}:${of('b1')}:0a1b2c3d`);
    expect(of('token:swordfish')).toMatch(/^id~[a-z]{32}$/);
  });

  it('depends on the key', () => {
    const another = Buffer.alloc(32, 8);
    expect(identifierReference(another, 'resp_68f1')).not.toBe(of('resp_68f1'));
    expect(identifierKey(another, 'resp_68f1')).not.toBe(identifierKey(KEY, 'resp_68f1'));
  });

  it.each(Object.entries(IDENTIFIER_FORMATS))('is unique: %s', (_, make) => {
    const references = Array.from({ length: 1_000 }, (_none, n) => of(make(n)));
    expect(new Set(references).size).toBe(1_000);
  });

  it('of a reference is itself, and fits into the field of the identifier', () => {
    fc.assert(
      fc.property(identifiers, (identifier) => {
        const reference = of(identifier);
        expect(of(reference)).toBe(reference);
        expect(reference.length).toBeLessThanOrEqual(200);
      }),
    );
    const parts = of(`${'ab-'.repeat(5)}ab:${'x:'.repeat(80)}0a1b2c3d`);
    expect(parts.length).toBeLessThanOrEqual(200);
    expect(of(parts)).toBe(parts);
  });

  it('is one for the spellings of an identifier', () => {
    const id = '3b0e2f1c-9d55-4b6e-8a53-6d1c2b3a4f50';
    const wide = [...id].map((one) => (/[0-9a-f]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one));
    const spellings = [id, ` ${id}\n`, id.toUpperCase(), `{${id}}`, `urn:uuid:${id}`, `${id}\u200b`, wide.join('')];
    expect(new Set(spellings.map(of)).size).toBe(1);
    expect(new Set(spellings.map((one) => identifierKey(KEY, one))).size).toBe(1);
    expect(of(`claude-code:${id.toUpperCase()}:0a1b2c3d`)).toBe(of(`claude-code:${id}:0a1b2c3d`));
    expect(of('caf\u00e9-1')).toBe(of('cafe\u0301-1'));
    expect(of('run  7')).toBe(of('run\u00a07'));
    // Letters of both cases are different digits.
    expect(of('toolu_01Ab')).not.toBe(of('toolu_01aB'));
  });

  it('differs for different identifiers', () => {
    const plain = fc.stringMatching(/^[!-~]{1,200}$/);
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        expect(of(one) === of(other)).toBe(one === other);
      }),
    );
    expect(new Set(['a:b:c', 'a:b', 'a:bc', 'a:b:c:d', 'a:b:c:d:e', 'a:b:c:d:e:f', 'abc', 'a::b:c'].map(of)).size).toBe(
      8,
    );
  });
});
