import { describe, expect, it } from '@jest/globals';
import { labelledErrors } from './labelled-errors.js';
import { byPrefix, byTfIdf } from './text-baselines.js';

describe('error texts with labels', () => {
  it('are refused with the number of a line that has no label', () => {
    expect(() => labelledErrors('{"error":"x","error_type":"y"}\n{"error":"x"}')).toThrow(/line 2 has no error/);
  });
});

describe('the baseline clusterings', () => {
  it('join equal beginnings by prefix, and similar words in any place by TF-IDF', () => {
    const texts = ['cannot open ledger one', 'cannot open ledger two', 'ledger one cannot open'];
    expect(new Set(byPrefix(texts, 12)).size).toBe(2);
    expect(byTfIdf(texts, 0.9)).toEqual(['group 0', 'group 1', 'group 0']);
  });
});
