import { describe, expect, it } from '@jest/globals';
import { checksOf } from './check.js';
import { Verification } from './execution-report.schema.js';

describe('what was checked in an execution', () => {
  it('is each check by its name, without the reason that a test runner writes behind it', () => {
    const checks = [
      { name: 'test_vat - AssertionError: 19', ok: false },
      { name: 'test_total', ok: true },
    ];
    expect(checksOf({ outcome: 'failed', source: 'test', checks })).toEqual([
      { name: 'test_vat', ok: false },
      { name: 'test_total', ok: true },
    ]);
  });

  it('of one name, all must be ok', () => {
    const checks = [
      { name: 'test_vat - first', ok: true },
      { name: 'test_vat - second', ok: false },
    ];
    expect(checksOf({ outcome: 'failed', source: 'ci', checks })).toEqual([{ name: 'test_vat', ok: false }]);
  });

  it('is the bare outcome where nothing is named, and nothing where only the agent says so', () => {
    expect(checksOf({ outcome: 'succeeded', source: 'ci' })).toEqual([{ name: '', ok: true }]);
    expect(checksOf({ outcome: 'none' })).toEqual([]);
    expect(checksOf({ outcome: 'succeeded', source: 'self', checks: [{ name: 'all', ok: true }] })).toEqual([]);
  });

  it('a report with checks says who checked', () => {
    const checks = [{ name: 'test_vat', ok: true }];
    expect(Verification.safeParse({ outcome: 'none', checks }).success).toBe(false);
    expect(Verification.safeParse({ outcome: 'failed', source: 'test', checks }).success).toBe(true);
  });
});
