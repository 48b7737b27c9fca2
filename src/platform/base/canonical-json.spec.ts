import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, sha256 } from './canonical-json.js';

describe('canonical JSON', () => {
  it('serialises equal values equally for any order of their members', () => {
    expect(canonicalJson({ b: 1, a: { d: [1, 'x'], c: null } })).toBe('{"a":{"c":null,"d":[1,"x"]},"b":1}');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
      }),
    );
  });

  it('preserves the value: parsing and serialising it again gives the same text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('serialises different values differently', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(JSON.parse(canonicalJson(a))) === JSON.stringify(JSON.parse(canonicalJson(b)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
  });

  it('sorts names by code unit, as RFC 8785 does, and not by locale', () => {
    expect(canonicalJson({ é: 1, z: 2, Z: 3, '\u{1f600}': 4, '\ufb33': 5 })).toBe(
      '{"Z":3,"z":2,"é":1,"\u{1f600}":4,"\ufb33":5}',
    );
  });

  it('omits undefined members of an object and keeps their place in a list', () => {
    expect(canonicalJson({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
  });

  it.each([
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['a function', () => 1],
    ['a big integer', 1n],
    ['no number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
  ])('rejects %s instead of hashing something else', (_what, value) => {
    expect(() => canonicalJson({ value: [{ value }] })).toThrow(TypeError);
  });
});

describe('sha256', () => {
  // FIPS 180-2, appendix B.1.
  it('is SHA-256 of the UTF-8 bytes', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('é')).not.toBe(sha256('e\u0301'));
  });
});
