import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareClaims } from '../../../test/support/claims.js';
import { applicabilityText, compareApplicability, readApplicability } from './applicability.js';
import { isSubsumedBy, parseClaim } from './supersession.js';

const wrongPath = { tool: 'shell', name: 'wrong-path' };

const anySetting = fc
  .tuple(
    fc.constantFrom('shell', 'read'),
    fc.constantFrom('python', 'python -m pytest', 'make', '*'),
    fc.constantFrom('*', 'SyntaxError', 'wrong-path', '* succeeds'),
    fc.constantFrom(undefined, wrongPath),
  )
  .map((parts) => readApplicability(applicabilityText(...parts)));

const relation = (a: string, b: string) => compareApplicability(readApplicability(a), readApplicability(b));

describe('the applicability of two lessons', () => {
  it('of a whole program covers each of its errors', () => {
    const program = applicabilityText('shell', 'python', '*');
    const narrow = applicabilityText('shell', 'python -m pytest', 'SyntaxError');
    expect([relation(program, narrow), relation(narrow, program)]).toEqual(['covers', 'covered']);
    expect(relation(program, applicabilityText('shell', 'make', 'SyntaxError'))).toBe('apart');
    expect(relation(program, applicabilityText('shell', 'python', '* succeeds'))).toBe('apart');
  });

  it('of a kind of error covers its cases in every program, but no other tool or kind', () => {
    const kind = applicabilityText('shell', '*', 'wrong-path');
    const lost = applicabilityText('shell', 'cat', 'file-not-found', wrongPath);
    expect([relation(kind, lost), relation(lost, kind)]).toEqual(['covers', 'covered']);
    expect(relation(kind, applicabilityText('shell', 'ls', 'ENOENT', wrongPath))).toBe('covers');
    expect(relation(applicabilityText('files', '*', 'wrong-path'), lost)).toBe('apart');
    expect(relation(applicabilityText('shell', '*', 'missing-module'), lost)).toBe('apart');
    expect(relation(kind, applicabilityText('shell', 'cat', 'file-not-found'))).toBe('apart');
    // The kind of error follows from the error, so that a text without it is the same applicability.
    expect(relation(lost, applicabilityText('shell', 'cat', 'file-not-found'))).toBe('same');
  });

  it('can be read from any text', () => {
    expect(relation('["shell"', '["shell"')).toBe('same');
    expect(relation('[1,2,3]', applicabilityText('shell', 'make', 'E'))).toBe('apart');
    expect(compareApplicability(undefined, readApplicability('x'))).toBe('unknown');
  });

  it('compares symmetrically, and related ones share a family', () => {
    const mirrored = { same: 'same', covers: 'covered', covered: 'covers', apart: 'apart', unknown: 'unknown' };
    fc.assert(
      fc.property(anySetting, anySetting, (a, b) => {
        expect(compareApplicability(b, a)).toBe(mirrored[compareApplicability(a, b)]);
        const meet = a.family === b.family || a.kind === b.family || b.kind === a.family;
        expect(compareApplicability(a, b) === 'apart' || meet).toBe(true);
      }),
    );
  });
});

describe('a lesson and another one whose applicability lies within it', () => {
  const broad = {
    condition: '`python` is about to be run in a shell, or has just failed',
    action: 'Run `python3` instead of `python`.',
    confidence: 0.95,
    applicability: applicabilityText('shell', 'python', '*'),
  };
  const narrow = {
    condition: '`python -m pytest` is about to be run in a shell, or has just ended in "SyntaxError"',
    action: 'Run `python3` instead of `python`.',
    confidence: 0.9,
    applicability: applicabilityText('shell', 'python -m pytest', 'SyntaxError'),
  };

  it('a broad lesson replaces a special one that says the same, never the other way round', () => {
    expect(compareClaims(broad, narrow)).toBe('FULL');
    expect(compareClaims(narrow, broad)).toBe('PARTIAL');
    expect(compareClaims({ ...narrow, confidence: 0.99 }, broad)).toBe('PARTIAL');
    expect(compareClaims({ ...broad, confidence: 0.8 }, narrow)).toBe('PARTIAL');
  });

  it('opposite actions conflict in any order', () => {
    const never = { ...narrow, action: 'Never run `python3` instead of `python`.' };
    expect([compareClaims(broad, never), compareClaims(never, broad)]).toEqual(['CONFLICT', 'CONFLICT']);
  });

  it('a broad lesson subsumes a special one that says the same, however confident that is', () => {
    const sure = { ...narrow, confidence: 0.99 };
    expect(isSubsumedBy(parseClaim(sure), parseClaim(broad))).toBe(true);
    expect(isSubsumedBy(parseClaim(broad), parseClaim(sure))).toBe(false);
    const other = { ...narrow, action: 'Run `uv run pytest` instead of `python -m pytest`.' };
    expect(isSubsumedBy(parseClaim(other), parseClaim(broad))).toBe(false);
    const [own, its] = [narrow, broad].map((one) => ({ ...one, actionFingerprint: 'one remedy' }));
    expect(own && its && isSubsumedBy(parseClaim({ ...own, action: 'Switch.' }), parseClaim(its))).toBe(true);
  });

  it('of two nearly certain lessons, the one with more evidence replaces the other', () => {
    const certain = [0.9993, 0.9991].map((confidence) => ({ ...broad, confidence, evidence: 9 }));
    const [surer, wider] = certain;
    expect(
      surer &&
        wider &&
        compareClaims({ ...wider, evidence: 20 }, { ...narrow, ...surer, applicability: narrow.applicability }),
    ).toBe('FULL');
  });

  it('a special case may have another remedy', () => {
    const special = { ...narrow, action: 'Run `uv run pytest` instead of `python -m pytest`.' };
    expect([compareClaims(broad, special), compareClaims(special, broad)]).toEqual(['PARTIAL', 'PARTIAL']);
  });
});
