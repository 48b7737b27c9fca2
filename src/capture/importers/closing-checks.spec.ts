import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../report/execution-report.schema.js';
import { closingChecks } from './foreign-report.js';

const EDIT: ToolCall = { name: 'Edit', action: 'a.ts', ok: true };
const bash = (action: string, ok = true): ToolCall => ({ name: 'Bash', action, ok });
const BEHIND_HOLE: ToolCall = { ...bash('ls'), afterHole: true };
const LOST: ToolCall = { ...bash('npm test'), resultLost: true };
const outcome = (...calls: ToolCall[]) => {
  const found = closingChecks(calls);
  return found && [found.qualityScore, ...(found.verification.checks ?? []).map(({ name }) => name)];
};

describe('the checks at the end of an execution', () => {
  it.each([
    ['one check', [EDIT, bash('cd app && CI=1 npm test')], [9, 'npm test']],
    ['a build', [EDIT, bash('npm run build')], [9, 'npm run build']],
    ['two checks of a line', [EDIT, bash('npm run lint && npm test')], [10, 'npm run lint', 'npm test']],
    ['a part of the tests', [EDIT, bash('pytest -k vat')], [8, 'pytest -k vat']],
    ['the last run of a check', [EDIT, bash('npm test', false), EDIT, bash('npm test')], [9, 'npm test']],
    ['a check whose output is kept', [EDIT, bash('npm test > test.log')], [9, 'npm test']],
  ])('are %s that passed after the last change', (_what, calls, expected) => {
    expect(outcome(...calls)).toEqual(expected);
  });

  it.each([
    ['nothing was changed', [bash('npm test')]],
    ['something was changed after them', [EDIT, bash('npm test'), EDIT]],
    ['something was written by the shell after them', [EDIT, bash('npm test'), bash('echo 1 > a.ts')]],
    ['one of them failed', [EDIT, bash('npm run lint'), bash('npm test', false)]],
    ['a part passed where the whole failed', [EDIT, bash('pytest', false), bash('pytest -k vat')]],
    ['their result is hidden', [EDIT, bash('npm test | tail -5'), bash('npm test || true'), bash('npm test; date')]],
    ['nothing was checked', [EDIT, bash('ls')]],
    ['the change failed', [{ ...EDIT, ok: false }, bash('npm test')]],
    ['a change after them may have been lost', [EDIT, bash('npm test'), BEHIND_HOLE]],
    ['their result was lost', [EDIT, LOST]],
    ['they never ran', [EDIT, { ...bash('npm test', false), ran: false }]],
  ])('say nothing if %s', (_what, calls) => {
    expect(outcome(...calls)).toBeUndefined();
  });
});
