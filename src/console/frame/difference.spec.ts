import { describe, expect, it } from '@jest/globals';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { differenceRows, markedDifference } from './difference.js';

const between = (before: string, after: string) => differenceRows(createTwoFilesPatch('a', 'b', before, after));

describe('a difference', () => {
  it('puts removed and added lines side by side', () => {
    expect(between('a\nb\nc\n', 'a\nB\nB2\nc\n')).toEqual([
      { kind: 'same', before: 'a', after: 'a' },
      { kind: 'changed', before: 'b', after: 'B' },
      { kind: 'changed', before: null, after: 'B2' },
      { kind: 'same', before: 'c', after: 'c' },
    ]);
  });

  it('handles lines that look like diff markers', () => {
    expect(between('--- x\n+++ y\n@@ z\n', '--- x\n@@ z\n\\ No newline\n')).toEqual([
      { kind: 'same', before: '--- x', after: '--- x' },
      { kind: 'changed', before: '+++ y', after: null },
      { kind: 'same', before: '@@ z', after: '@@ z' },
      { kind: 'changed', before: null, after: '\\ No newline' },
    ]);
  });

  it('is empty for equal files', () => {
    expect(between('a\n', 'a\n')).toEqual([]);
  });

  it('contains every changed line of both files', () => {
    const file = fc.array(fc.constantFrom('a', 'b', '-', '+', '@@', ' '), { maxLength: 15 });
    fc.assert(
      fc.property(file, file, (before, after) => {
        const rows = between(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
        const changed = rows.filter(({ kind }) => kind === 'changed');
        const kept = rows.filter(({ kind }) => kind === 'same');
        for (const { before: was, after: is } of kept) expect(was).toBe(is);
        expect(changed.flatMap(({ before: was }) => was ?? []).every((line) => before.join('\n').includes(line))).toBe(
          true,
        );
        expect(changed.flatMap(({ after: is }) => is ?? []).every((line) => after.join('\n').includes(line))).toBe(
          true,
        );
      }),
    );
  });
});

describe('the difference between two calls', () => {
  const marked = (before: string, after: string) => {
    const said = markedDifference(before, after);
    return (['before', 'after'] as const).map((side) =>
      said[side].map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(''),
    );
  };

  it('marks the words that they do not share', () => {
    expect(marked('python a.py', 'python3 a.py')).toEqual(['[python] a.py', '[python3] a.py']);
  });

  it('marks the argument that differs, of a tool that is no shell', () => {
    expect(marked('sql {"query":"SELECT n FROM clerks"}', 'sql {"query":"SELECT n FROM clerk"}')).toEqual([
      'sql {"query":"SELECT n FROM [clerks]"}',
      'sql {"query":"SELECT n FROM [clerk]"}',
    ]);
  });

  it('keeps every character of both', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const said = markedDifference(before, after);
        expect(said.before.map(({ text }) => text).join('')).toBe(before);
        expect(said.after.map(({ text }) => text).join('')).toBe(after);
      }),
    );
  });
});
