import { describe, expect, it } from '@jest/globals';
import { nearest } from './usage-errors.js';

const COMMANDS = ['list', 'show', 'approve', 'override', 'edit', 'resolve', 'reopen', 'reject'];

describe('the nearest command', () => {
  it.each([
    ['aprove', ['approve']],
    ['apporve', ['approve']],
    ['shwo', ['show']],
    ['lst', ['list']],
    ['rejects', ['reject']],
    ['app', ['approve']],
  ])('of the mistyped "%s" is %j', (word, wanted) => {
    expect(nearest(word, COMMANDS)).toEqual(wanted);
  });

  it('is missing for another word, and for a long text', () => {
    expect(nearest('import', COMMANDS)).toEqual([]);
    expect(nearest('x'.repeat(1_000_000), COMMANDS)).toEqual([]);
    expect(nearest('', COMMANDS)).toEqual([]);
  });

  it('names several that are as near, each once', () => {
    expect(nearest('rexxxt', ['reject', 'resect', 'resect', 'list'])).toEqual(['reject', 'resect']);
  });
});
