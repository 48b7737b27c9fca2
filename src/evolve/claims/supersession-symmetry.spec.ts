import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareClaims } from '../../../test/support/claims.js';
import { applicabilityText } from './applicability.js';

describe('the comparison of two claims', () => {
  it('gives a conflict in both directions or in none', () => {
    const word = fc.constantFrom(
      ...[
        'not',
        'never',
        'restart',
        'service',
        'before',
        'after',
        'cache',
        '3',
        '5',
        'without',
        'delete',
        'keep',
        'then',
      ],
    );
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const kind = { tool: 'shell', name: 'missing-module' };
    const applicability = fc.constantFrom(
      undefined,
      applicabilityText('shell', 'python', '*'),
      applicabilityText('shell', 'python', 'ImportError', kind),
      applicabilityText('shell', 'python -m pytest', 'ImportError'),
      applicabilityText('shell', '*', 'missing-module'),
    );
    const any = fc
      .record({ condition: text, action: text, confidence: fc.constantFrom(0.5, 0.9), applicability })
      .map(({ applicability: where, ...rest }) => ({
        ...rest,
        ...(where === undefined ? {} : { applicability: where }),
      }));
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [forth, back] = [compareClaims(a, b), compareClaims(b, a)];
        expect(forth === 'CONFLICT').toBe(back === 'CONFLICT');
        // Of two claims, at most one replaces the other.
        expect([forth, back]).not.toEqual(['FULL', 'FULL']);
      }),
      { numRuns: 3000 },
    );
  });
});
