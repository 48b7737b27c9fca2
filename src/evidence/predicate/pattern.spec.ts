import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapePattern, wordPattern } from '../../../test/support/plain-patterns.js';
import { compilePattern, compileWholePattern, hasGroup, LONGEST_PATTERN, patternProblem } from './pattern.js';
import { plainPattern } from './pattern-text.js';

describe('a pattern of a predicate', () => {
  it.each([
    ['SyntaxError: invalid', 'x syntaxerror: INVALID syntax', true],
    ['from .*where', 'SELECT a FROM b\nWHERE c', true],
    ['^select', ' select', false],
    ['exit code (1|2)', 'Exit code 2', true],
    ['python\\d?$', 'run python3 x', false],
  ])('finds %j in %j: %j', (pattern, text, found) => {
    expect(compilePattern(pattern).test(text)).toBe(found);
  });

  it.each([
    ['a(?=b)', 'has a look-around, which the linear-time engine (RE2) does not support'],
    ['(?<!a)b', 'has a look-around, which the linear-time engine (RE2) does not support'],
    ['(a)\\1', 'has a back reference, which the linear-time engine (RE2) does not support'],
    ['(a', 'is no regular expression of RE2: missing closing ): `(a`'],
    ['a)(b', 'is no regular expression of RE2: unexpected ): `a)(b`'],
    ['(.{0,100}x){9}', 'repeats too much; use shorter repetitions'],
    ['a'.repeat(LONGEST_PATTERN + 1), 'is longer than 200 characters'],
    ['', 'is empty'],
  ])('refuses %j and says that it %s', (pattern, problem) => {
    expect(patternProblem(pattern)).toBe(problem);
    expect(() => compilePattern(pattern)).toThrow(RangeError);
    expect(() => compileWholePattern(pattern)).toThrow(RangeError);
  });

  it('returns the first group of the first match', () => {
    expect(compilePattern("table '(\\w+)'").firstGroup("no table 'teachers' in table 'x'")).toBe('teachers');
    expect(compilePattern("table '(\\w+)'").firstGroup('no such table')).toBeUndefined();
    expect([hasGroup('a(b)'), hasGroup('a(?:b)'), hasGroup('a\\(b'), hasGroup('[(]')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('matches a whole text in the form for names', () => {
    const tools = compileWholePattern('read|glob.*');
    expect([tools.test('Read'), tools.test('globs'), tools.test('reader'), tools.test('a read')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('never fails on a text once it is accepted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }), (pattern, text) => {
        if (patternProblem(pattern) !== undefined) return;
        compilePattern(pattern).test(text);
        compilePattern(pattern).firstGroup(text);
        compileWholePattern(pattern).test(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '(x+x+)+y',
    '(.*a){10}b',
    '(a|a?)+b',
    '(a|b)*a(a|b){100}c',
    '[^b]{0,90}b{3}c',
    '(?:\\w+\\s?)+$!',
    '(a?){60}a{60}b',
  ])('takes linear time for %j on hostile text', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
    const started = performance.now();
    for (const unit of ['a', 'x', 'ab', 'a ', 'aab']) compilePattern(pattern).test(`bbbc !${unit.repeat(20_000)}`);
    // a backtracking engine takes longer than the universe lasts
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('an escaped text', () => {
  it('matches itself, and is read back', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), (text) => {
        expect(compilePattern(escapePattern(text)).test(`<${text.toUpperCase()}> ${text}`)).toBe(true);
        expect(plainPattern(escapePattern(text))).toBe(text);
      }),
    );
  });

  it('as a word is read back', () => {
    const word = fc.oneof(
      fc.constantFrom('python', '-m', '--no-x', 'a.b', '{', '"q"', 'x\\n'),
      fc.string({ minLength: 1, maxLength: 60 }),
    );
    fc.assert(
      fc.property(word, (text) => {
        expect(plainPattern(wordPattern(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['python', 'cd x && python test.py', true],
    ['python', 'python3 test.py', false],
    ['python', '/usr/bin/python test.py', false],
    ['python', '{"command":"ls;python x"}', true],
    ['name', '{"name":1}', true],
    ['name', '{"filename":1}', false],
    ['where', '{"query":"select a\\nwhere b"}', true],
    ['--verbose', 'run --verbose=yes', true],
    ['-v', 'run --verbose', false],
    ['x', "echo 'x'", true],
  ])('%j is a word of %j: %j', (word, text, found) => {
    expect(compilePattern(wordPattern(word)).test(text)).toBe(found);
  });
});
