import { describe, expect, it } from '@jest/globals';
import { confidenceText } from './evidence-view.js';

const remedy = (worked: number, n: number, low: number, high: number) => ({
  alternatives: [{ action: 'long', worked, n, rate: worked / n, low, high, agents: 3, lift: null }],
});

describe('the confidence in a remedy', () => {
  it('shows the tries and their interval, and never 100 % for a remedy that failed once', () => {
    const text = confidenceText(remedy(4, 5, 0.376, 0.964), 0.9998);
    expect(text).toBe('4 of 5 tries worked (38 to 96 %); 99 % likely to help');
  });

  it('is below 100 % even without a failure, as long as the interval begins below 100 %', () => {
    expect(confidenceText(remedy(3, 3, 0.438, 1), 1)).toBe('3 of 3 tries worked (44 to 100 %); 99 % likely to help');
  });

  it('counts one try in the singular', () => {
    expect(confidenceText(remedy(1, 1, 0.207, 1), 0.75)).toMatch(/^1 of 1 try worked .*; 75 % likely to help$/);
  });

  it('names missing evidence instead of a percentage', () => {
    expect(confidenceText({ alternatives: [] }, 0)).toBe('no remedy was tried');
  });
});
