import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSetting, relationOf, settingText } from './setting.js';
import { verdict } from './supersession.js';

const anySetting = fc
  .tuple(
    fc.constantFrom('shell', 'read'),
    fc.constantFrom('python', 'python -m pytest', 'make', '*'),
    fc.constantFrom('*', 'SyntaxError', '* succeeds'),
    fc.constantFrom(undefined, 'rust', 'go'),
  )
  .map((parts) => readSetting(settingText(...parts)));

const relation = (a: string, b: string) => relationOf(readSetting(a), readSetting(b));

describe('the settings of two lessons', () => {
  it('one covers the other where it says the same of any error of the program, or of any kind of project', () => {
    const program = settingText('shell', 'python', '*');
    const narrow = settingText('shell', 'python -m pytest', 'SyntaxError');
    expect([relation(program, narrow), relation(narrow, program)]).toEqual(['covers', 'covered']);
    expect(relation(narrow, settingText('shell', 'python -m pytest', 'SyntaxError', 'rust'))).toBe('covers');
    expect(relation(program, settingText('shell', 'make', 'SyntaxError'))).toBe('apart');
    expect(relation(settingText('shell', 'make', 'E', 'rust'), settingText('shell', 'make', 'E', 'go'))).toBe('apart');
    expect(relation(program, settingText('shell', 'python', '* succeeds'))).toBe('apart');
  });

  it('are read whatever is written there', () => {
    expect(relation('["shell"', '["shell"')).toBe('same');
    expect(relation('[1,2,3]', settingText('shell', 'make', 'E'))).toBe('apart');
    expect(relationOf(undefined, readSetting('x'))).toBe('unknown');
  });

  it('lie to each other as in a mirror, and what is related is of one family', () => {
    const mirrored = { same: 'same', covers: 'covered', covered: 'covers', apart: 'apart', unknown: 'unknown' };
    fc.assert(
      fc.property(anySetting, anySetting, (a, b) => {
        expect(relationOf(b, a)).toBe(mirrored[relationOf(a, b)]);
        expect(relationOf(a, b) === 'apart' || a.family === b.family).toBe(true);
      }),
    );
  });
});

describe('a lesson and one of which the setting lies within its own', () => {
  const broad = {
    condition: '`python` is about to be run in a shell, or has just failed',
    action: 'Run `python3` instead of `python`.',
    confidence: 0.95,
    setting: settingText('shell', 'python', '*'),
  };
  const narrow = {
    condition: '`python -m pytest` is about to be run in a shell, or has just ended in "SyntaxError"',
    action: 'Run `python3` instead of `python`.',
    confidence: 0.9,
    setting: settingText('shell', 'python -m pytest', 'SyntaxError'),
  };

  it('the broad one replaces the special one that says the same, and never the other way round', () => {
    expect(verdict(broad, narrow)).toBe('FULL');
    expect(verdict(narrow, broad)).toBe('PARTIAL');
    expect(verdict({ ...narrow, confidence: 0.99 }, broad)).toBe('PARTIAL');
    expect(verdict({ ...broad, confidence: 0.8 }, narrow)).toBe('PARTIAL');
  });

  it('the opposite action is a conflict, whichever came first', () => {
    const never = { ...narrow, action: 'Never run `python3` instead of `python`.' };
    expect([verdict(broad, never), verdict(never, broad)]).toEqual(['CONFLICT', 'CONFLICT']);
  });

  it('another remedy for the special case lives beside it', () => {
    const special = { ...narrow, action: 'Run `uv run pytest` instead of `python -m pytest`.' };
    expect([verdict(broad, special), verdict(special, broad)]).toEqual(['PARTIAL', 'PARTIAL']);
  });
});
