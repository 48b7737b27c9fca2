import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, worked } from '../../test/support/recorded-calls.js';
import type { ExaminedFamily } from '../transfer/examined.js';
import { claimedBy, familyOf } from './find-family.js';

const RUNS = [
  recordedRun('one', [failed('select a from teachers', 'no table teachers'), worked('show tables')]),
  recordedRun('two', [failed('select b from cars', 'no table cars'), failed('python a.py', 'SyntaxError')]),
  recordedRun('three', [failed('python b.py', 'SyntaxError')]),
];

/** A family of the failures with these errors; its fingerprints are the errors. */
function family(name: string, errors: readonly string[], value?: string): ExaminedFamily {
  // only these parts are read
  return {
    family: { fingerprint: name, fingerprints: errors, ...(value === undefined ? {} : { value }) },
    isMember: (call: { error: string }) => errors.includes(call.error) && call.error !== 'no table cars',
    halves: { a: RUNS.slice(0, 1), b: RUNS.slice(1) },
  } as unknown as ExaminedFamily;
}

const TABLES = family('tables', ['no table teachers', 'no table cars']);
const SYNTAX = family('syntax', ['SyntaxError']);

describe('the family of an answer', () => {
  it('is the one whose failures its condition matches most, in both halves', () => {
    expect(familyOf({ when: { error: 'table' } }, [TABLES, SYNTAX])).toBe(TABLES);
    expect(familyOf({ when: { error: '.' } }, [TABLES, SYNTAX])).toBe(SYNTAX);
    expect(familyOf({ covers: { error: 'SyntaxError' } }, [TABLES, SYNTAX])).toBe(SYNTAX);
    expect(familyOf({ when: { error: 'no such error' } }, [TABLES, SYNTAX])).toBeUndefined();
  });

  it('may claim the failures of values that were split off, and of a value only those that name it', () => {
    const [calls] = [RUNS.flatMap((run) => run.calls)];
    const claimed = (of: ExaminedFamily, value?: string) =>
      calls.filter(claimedBy(of, value)).map(({ error }) => error);
    expect(claimed(TABLES)).toEqual(['no table teachers', 'no table cars']);
    expect(claimed(TABLES, 'Teachers')).toEqual(['no table teachers']);
    expect(claimed(family('value', ['no table teachers', 'no table cars'], 'teachers'))).toEqual(['no table teachers']);
  });
});
