import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Numbering } from './numbering.js';

const anyKey = fc.oneof(fc.nat(30), fc.maxSafeNat());
const anyStep = fc.tuple(fc.constantFrom('take', 'take', 'release'), anyKey);

describe('Numbering', () => {
  it('gives each key one number until it was released as often as it was taken', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 200 }), (steps) => {
        const [numbering, held] = [new Numbering(), new Map<number, { number: number; times: number }>()];
        for (const [what, key] of steps) {
          const known = held.get(key);
          if (what === 'take') {
            const number = numbering.take(key);
            expect(known === undefined || known.number === number).toBe(true);
            held.set(key, { number, times: (known?.times ?? 0) + 1 });
          } else if (known) {
            numbering.release(known.number);
            if (known.times === 1) held.delete(key);
            else held.set(key, { ...known, times: known.times - 1 });
          }
        }
        expect(numbering.size).toBe(held.size);
        for (const [key, { number }] of held) expect(numbering.find(key)).toBe(number);
        expect(new Set([...held.values()].map(({ number }) => number)).size).toBe(held.size);
        for (const [, key] of steps) if (!held.has(key)) expect(numbering.find(key)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('reuses released numbers, so that the numbers stay small', () => {
    const numbering = new Numbering();
    for (let n = 0; n < 10_000; n += 1) {
      const number = numbering.take(n * 7_919);
      expect(number).toBeLessThan(100);
      if (n >= 99) numbering.release(numbering.find((n - 99) * 7_919) ?? -1);
    }
    expect(numbering.size).toBe(99);
  });
});
