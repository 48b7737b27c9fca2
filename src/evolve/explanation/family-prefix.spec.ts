import { expect, it } from '@jest/globals';
import type { StoredFamily } from '../cycle/candidates.schema.js';
import { FamilyPrefix } from './family-explanation.schema.js';
import { familyOf } from './family-prefix.js';

const digits = (start: string): string => `sha256:${start.padEnd(64, '0')}`;
// Only the fingerprint is read.
const stored = (start: string) => ({ family: { fingerprint: digits(start) } }) as StoredFamily;
const all = [stored('abcd1'), stored('abcd2'), stored('ef01')];
const found = (prefix: string) => familyOf(all, FamilyPrefix.parse(prefix)).family.fingerprint;
const code = (prefix: string): unknown => {
  try {
    return found(prefix);
  } catch (error) {
    return error;
  }
};

it('a family is named by its fingerprint or a beginning that no other family has', () => {
  expect([digits('abcd2'), 'sha256:abcd2', 'abcd2'].map(found)).toEqual(Array(3).fill(digits('abcd2')));
  expect(found('ef01')).toBe(digits('ef01'));
});

it('a beginning that several families have is refused with their fingerprints', () => {
  expect(code('abcd')).toMatchObject({
    kind: 'conflict',
    code: 'evolver.ambiguous_family',
    message: expect.stringMatching(/^2 families begin with sha256:abcd: sha256:abcd10{11}, sha256:abcd20{11}\. /),
  });
});

it('a beginning that no family has is unknown, and one of fewer than four digits is none', () => {
  expect(code('ffff')).toMatchObject({ kind: 'not_found', code: 'evolver.unknown_family' });
  for (const prefix of ['abc', 'sha256:', 'ABCD', '../abcd', `${'a'.repeat(65)}`])
    expect(FamilyPrefix.safeParse(prefix).success).toBe(false);
});
