import { describe, expect, it } from '@jest/globals';
import { checkOf } from '../../../test/support/checked-proposal.js';
import { checkInWords, pairInWords, pairSource, robustnessInWords } from './check-words.js';

describe('the check in words', () => {
  it('gives the pair, the comparison, and what it does not hang on', () => {
    expect(checkInWords(checkOf('confirmed'))).toEqual([
      'with it 33 of 47 worked, without it 1 of 12, in executions of other tasks, which it was not learned from (first calls of both forms)',
      'difference +62 points (95 % interval +34 to +75), p < 0.001',
      'within agents: difference +58 points (+30 to +80), 4 agents on both sides',
      'within one execution: only the try with it worked in 6, only the other in 0, p = 0.031',
      'outcomes shuffled within executions: 1 % look as good',
      'holds without any one of the 9 agents compared',
      'holds in 2 of 3 cases in which one harness is left out',
      '82 % of 40 failures that its condition matches belong to this problem',
    ]);
  });

  it('of an observed lesson counts all executions, and says so', () => {
    const observed = checkOf('observed');
    expect(pairInWords(observed)).toBe('with it 4 of 5 worked, without it 0 of 2');
    expect(pairSource(observed)).toBe(
      'in all executions, also those that it was learned from (first calls of both forms)',
    );
    expect(checkInWords(observed).join()).not.toContain('holds without');
  });

  it('says where nothing was tried, where all comes from one agent, and nothing about unknown harnesses', () => {
    const none = { worked: 0, n: 0 };
    expect(pairInWords(checkOf('observed', { seen: { with: { worked: 3, n: 3 }, without: none } }))).toBe(
      'with it 3 of 3 worked, without it nothing was tried',
    );
    const alone = checkOf('confirmed', { withoutOneAgent: null, withoutOneHarness: null, split: 'time', scope: null });
    expect(checkInWords(alone).slice(-2)).toEqual([
      'all compared tries are of one agent',
      'all compared tries are of one harness',
    ]);
    const unknown = checkOf('confirmed', { withoutOneHarness: { confirmed: 0, of: 0 } });
    expect(checkInWords(unknown).join()).not.toContain('harness');
    expect(robustnessInWords(alone, { namesHarness: false })).toEqual(['all compared tries are of one agent']);
    expect(pairSource(alone)).toBe(
      'in later executions of the project, which it was not learned from (first calls of both forms)',
    );
    expect(pairInWords(checkOf('confirmed', { by: null, comparisons: [] }))).toContain('4 of 5');
  });
});
