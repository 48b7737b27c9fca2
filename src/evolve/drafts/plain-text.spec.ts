import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clipAtWord, plainErrorClass } from './plain-text.js';

describe('text of other agents in a draft', () => {
  it('an error class is put into words if it has a meaning', () => {
    expect(plainErrorClass('no-such-directory')).toBe('no such directory');
    expect(plainErrorClass('SyntaxError')).toBe('SyntaxError');
    expect(plainErrorClass('exit-1')).toBe('');
    expect(plainErrorClass('unknown')).toBe('');
  });

  it('only printable text without backticks remains of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        expect(plainErrorClass(text)).toMatch(/^[ -_a-~]{0,300}$/);
      }),
    );
  });

  it('clips between words', () => {
    expect(clipAtWord('one two three', 100)).toBe('one two three');
    expect(clipAtWord('one two three', 11)).toBe('one two');
    expect(clipAtWord('onetwothree', 5)).toBe('onetw');
  });
});
