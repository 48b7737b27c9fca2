import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { floatsOf, packModel, shortHash, UnreadableModel, unpackModel } from './model-bytes.js';

const FORMAT = { magic: 'TEST', version: 3 };
const parts = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });

describe('the bytes of a model', () => {
  it('give back their parts', () => {
    fc.assert(
      fc.property(parts, (some) => {
        expect(unpackModel(packModel(FORMAT, some), FORMAT)).toEqual(some);
      }),
    );
  });

  it('are refused with any changed bit, and if any byte is missing', () => {
    fc.assert(
      fc.property(parts, fc.nat(), fc.nat(7), (some, position, bit) => {
        const bytes = packModel(FORMAT, some);
        const changed = bytes.slice();
        const at = position % bytes.length;
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(() => unpackModel(changed, FORMAT)).toThrow(UnreadableModel);
        expect(() => unpackModel(bytes.subarray(0, at), FORMAT)).toThrow(UnreadableModel);
      }),
    );
  });

  it('are refused as another format or version, which the error names', () => {
    const bytes = packModel(FORMAT, [Uint8Array.of(1)]);
    expect(() => unpackModel(bytes, { magic: 'OTHR', version: 3 })).toThrow('not of the format OTHR');
    expect(() => unpackModel(bytes, { magic: 'TEST', version: 4 })).toThrow('has version 3; this program reads 4');
  });

  it('hold as many finite numbers as the model needs', () => {
    const numbers = Float32Array.of(1, -2.5, 0);
    const [part] = unpackModel(packModel(FORMAT, [numbers]), FORMAT);
    expect(floatsOf(part, 3)).toEqual(numbers);
    expect(() => floatsOf(part, 2)).toThrow('12 bytes in place of 8');
    expect(() => floatsOf(undefined, 2)).toThrow(UnreadableModel);
    const [wrong] = unpackModel(packModel(FORMAT, [Float32Array.of(Number.NaN)]), FORMAT);
    expect(() => floatsOf(wrong, 1)).toThrow('not finite');
  });

  it('have a short hash that tells two models apart', () => {
    expect(shortHash(Uint8Array.of(1))).toMatch(/^[0-9a-f]{8}$/);
    expect(shortHash(Uint8Array.of(1))).not.toBe(shortHash(Uint8Array.of(2)));
  });
});
