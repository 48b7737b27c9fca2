import { describe, expect, it } from '@jest/globals';
import { Verification } from '../report/execution-report.schema.js';
import { checksOf } from './observation.js';

describe('the checks of an execution', () => {
  it('have names without the reason that a test runner appends', () => {
    const checks = [
      { name: 'test_vat - AssertionError: 19', ok: false },
      { name: 'test_total', ok: true },
    ];
    expect(checksOf({ outcome: 'failed', source: 'test', checks })).toEqual([
      { name: 'test_vat', ok: false },
      { name: 'test_total', ok: true },
    ]);
  });

  it('of one name pass only if all of them pass', () => {
    const checks = [
      { name: 'test_vat - first', ok: true },
      { name: 'test_vat - second', ok: false },
    ];
    expect(checksOf({ outcome: 'failed', source: 'ci', checks })).toEqual([{ name: 'test_vat', ok: false }]);
  });

  it('are the bare outcome if none is named, and empty if only the agent reports them', () => {
    expect(checksOf({ outcome: 'succeeded', source: 'ci' })).toEqual([{ name: '', ok: true }]);
    expect(checksOf({ outcome: 'none' })).toEqual([]);
    expect(checksOf({ outcome: 'succeeded', source: 'self', checks: [{ name: 'all', ok: true }] })).toEqual([]);
  });

  it('require a source in the report', () => {
    const checks = [{ name: 'test_vat', ok: true }];
    expect(Verification.safeParse({ outcome: 'none', checks }).success).toBe(false);
    expect(Verification.safeParse({ outcome: 'failed', source: 'test', checks }).success).toBe(true);
  });
});
