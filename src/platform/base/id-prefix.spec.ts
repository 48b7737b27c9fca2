import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { idRange, isIdPrefix, isWholeId } from './id-prefix.js';

describe('the beginning of an id', () => {
  it('has 4 or more characters of it, and selects exactly the ids that begin so', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.nat({ max: 36 }), (id, other, length) => {
        const prefix = id.slice(0, length);
        expect(isIdPrefix(prefix)).toBe(length >= 4);
        expect(isWholeId(prefix)).toBe(length === 36);
        const { gte, lte } = idRange(prefix);
        for (const one of [id, other]) expect(gte <= one && one <= lte).toBe(one.startsWith(prefix));
      }),
    );
  });

  it.each(['', '0b9', '0b9d3c527', '----', 'build-bot', '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a0', '0B9D'])(
    'is not "%s"',
    (text) => {
      expect(isIdPrefix(text)).toBe(false);
    },
  );
});
