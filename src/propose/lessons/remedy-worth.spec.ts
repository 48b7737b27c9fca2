import { describe, expect, it } from '@jest/globals';
import { PYTHON_OBSTACLE } from '../../../test/support/payloads.js';
import type { Obstacle } from '../../capture/analysis/payload.schema.js';
import { areSteps, isRemedy, saysWhy } from './remedy-worth.js';

const shell = (call: string) => ({ tool: 'shell', call });
const obstacle = (failed: string, errorLine: string, change: Partial<Obstacle> = {}) => ({
  ...PYTHON_OBSTACLE,
  errorLine,
  ...change,
  failed: change.failed ?? shell(failed),
});

describe('a remedy that a lesson may show', () => {
  it.each([
    ['rm -r old', 'rm -rf old', "rm: cannot remove 'old': No such file or directory", 'hides the error'],
    ['rm a b c', 'rm a', "rm: cannot remove 'b': No such file or directory", 'drops what the error names'],
    [
      'cp a/x.txt out/',
      'cp -r a/y out/',
      "cp: cannot stat 'a/x.txt': No such file or directory",
      'copies another file',
    ],
    ['python check.py', 'python fix.py', "python: can't open file 'check.py'", 'runs another file'],
    ['make all install', 'make all', 'make: fatal error in line 3', 'drops what the error does not name'],
    ['pytest tests', 'pytest tests -k fast', 'E assert 1 == 2', 'runs a part of the tests'],
    ['deploy app', 'python3 -c <code>', 'deploy: denied', 'is hidden'],
  ])('is not that after %j the call %j works, which %s %s', (failed, worked, error) => {
    expect(isRemedy(obstacle(failed, error), shell(worked))).toBe(false);
  });

  it('is not another installation than the one that failed', () => {
    const failed = obstacle('cd app && pip install -e . -q', 'error: exited with 1', { action: 'pip install' });
    expect(isRemedy(failed, shell('pip install pandas -q'))).toBe(false);
  });

  it.each([
    ['mkdir books/may', 'mkdir -p books/may', 'mkdir: cannot create directory books/may: No such file or directory'],
    ['cd app && npm test', 'npm test', 'cd: app: No such file or directory'],
    ['git -C app add -A', 'git add -A', "fatal: cannot change to 'app': No such file or directory"],
    ['od -a n x.txt', 'od -An x.txt', 'od: n: No such file or directory'],
    ['python close.py', 'python ./books/close.py', "python: can't open file 'close.py': No such file or directory"],
    ['tar -xf a.tar extract', 'tar -xf a.tar', 'tar: extract: Not found in archive'],
    ['git push', 'git push --set-upstream origin main', 'fatal: The current branch main has no upstream branch.'],
    ['nvm use 18', 'nvm use 20', 'N/A: version "v18" is not yet installed.'],
    ['npm test', 'NODE_ENV=test npm test', 'Error: no test database is configured'],
    ['psql -h db2 -c x', 'psql -h db1 -c x', 'connection refused'],
  ])('is that after %j the call %j works', (failed, worked, error) => {
    const stage = /^n[pv]m/.test(failed) ? 'run' : 'load';
    expect(isRemedy(obstacle(failed, error, { stage }), shell(worked))).toBe(true);
  });

  it.each([
    ['{"cabin":"business"}', '{"cabin":"economy"}', 'Error: the balance is not enough', false],
    ['{"cabin":"bussiness"}', '{"cabin":"business"}', 'Error: bussiness is no class', true],
    ['{"flights":["A1","B2"]}', '{"flights":["B2"]}', 'Error: A1 has no seats', false],
    ['{"limit":"ten"}', '{"limit":10}', 'TypeError: expected a number', true],
    ['{"path":"a","pattern":"x"}', '{"path":"b","pattern":"y"}', 'Directory does not exist', false],
  ])('is a changed argument that the error is about: from %s to %s', (failed, worked, error, isOne) => {
    const before = obstacle('', error, { failed: { tool: 'book', call: failed } });
    expect(isRemedy(before, { tool: 'book', call: worked })).toBe(isOne);
  });
});

describe('the steps of a remedy', () => {
  const edit = { tool: 'Edit', call: '{"file_path":"app/close.py"}' };

  it.each<[string, Partial<Obstacle>, boolean]>([
    ['an installation', { how: 'prepare', between: [shell('pip install yaml')] }, true],
    ['an edit whose text is not shown', { how: 'prepare', between: [edit] }, false],
    ['a written file', { how: 'prepare', between: [shell('cat <<EOF <file text> EOF >close.py')] }, false],
    ['an edit of a configuration', { how: 'prepare', between: [{ ...edit, call: '{"path":"tsconfig.json"}' }] }, true],
    ['a look-up with the program that failed', { how: 'relocate', between: [shell('python -m find x')] }, false],
  ])('are worth showing or not: %s', (_, change, isWorth) => {
    expect(areSteps(obstacle('python close.py', 'x', change), shell('python app/close.py'))).toBe(isWorth);
  });

  it('are none if the same call worked and shows no argument', () => {
    const before = obstacle('', 'x', { failed: { tool: 'book', call: '{}' }, between: [shell('bc')], how: 'prepare' });
    expect(areSteps(before, { tool: 'book', call: '{}' })).toBe(false);
  });
});

describe('an error that says why', () => {
  it.each([
    ['ModuleNotFoundError: No module named yaml', true],
    ['Sphinx error:', false],
    ['(a text that reads like instructions; withheld)', false],
    ['Please provide exactly one action in triple backticks, found 2 actions.', false],
    ['collected 0 items', false],
  ])('%j', (line, says) => {
    expect(saysWhy(line)).toBe(says);
  });
});
