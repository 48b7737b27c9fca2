import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from './random-halves.js';
import { SeededRandom } from './seeded-random.js';

it('a shuffled list contains every element once and is the same for the same seed', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { maxLength: 40 }), fc.nat(), (all, seed) => {
      const order = shuffled(all, new SeededRandom(seed));
      expect([...order].sort((a, b) => a - b)).toEqual([...all].sort((a, b) => a - b));
      expect(shuffled(all, new SeededRandom(seed))).toEqual(order);
    }),
  );
});
