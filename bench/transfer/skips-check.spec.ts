import { describe, expect, it } from '@jest/globals';
import type { CheckedCandidate } from '../../src/evolve/evidence/candidate.js';
import { skippedCheckIn, skippedCheckOf } from './skips-check.js';

const CHECK: CheckedCandidate['check'] = {
  verdict: 'confirmed',
  split: 'origin',
  by: 'after',
  comparisons: [],
  scope: null,
  seen: { with: { worked: 9, n: 9 }, without: { worked: 0, n: 9 } },
  withoutOneAgent: null,
  withoutOneHarness: null,
};
const candidate = (more: Partial<CheckedCandidate>): CheckedCandidate => ({
  key: 'k',
  how: 'replace',
  action: 'git commit',
  label: 'git commit',
  taught: [],
  avoided: [],
  predicate: {},
  check: CHECK,
  binding: {},
  ...more,
});

describe('a lesson that only skips a check', () => {
  it.each([
    'git commit --no-verify',
    'git commit -nm "close the books"',
    'HUSKY=0 git push',
    'mvn package -DskipTests',
    'npm run build -- --skip-tests',
    'pytest books --deselect books/test_sum.py',
    'pytest books -k "not slow"',
    'make check || true',
    'curl -k https://<host>/ledger',
    'total = 0  # type: ignore',
    'git push --force origin main',
  ])('says %s', (line) => {
    expect(skippedCheckIn(line)).toBeDefined();
  });

  it.each([
    'git commit -m "verify the books"',
    'git push --force-with-lease',
    'pip install --break-system-packages ledger',
    'pytest books -k sum',
    'python3 -m pytest --no-header books',
    'ls books | head -n 5',
  ])('does not say %s', (line) => {
    expect(skippedCheckIn(line)).toBeUndefined();
  });

  it('adds what skips it, in its words', () => {
    expect(skippedCheckOf(candidate({ taught: ['--no-verify'] }))).toBe('--no-verify');
    expect(skippedCheckOf(candidate({ taught: ['--all'] }))).toBeUndefined();
  });

  it('leaves out what makes a call strict', () => {
    expect(skippedCheckOf(candidate({ avoided: ['--strict'] }))).toBe('--strict');
    expect(skippedCheckOf(candidate({ avoided: ['--strict'], taught: ['--config'] }))).toBeUndefined();
  });

  it('is another one if the failed call skips the check as well', () => {
    const both = candidate({ taught: ['--no-verify', 'origin'], avoided: ['--no-verify'] });
    expect(skippedCheckOf(both)).toBeUndefined();
  });
});
