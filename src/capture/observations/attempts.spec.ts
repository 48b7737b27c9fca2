import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../report/execution-report.schema.js';
import { observe, type Trial } from './observation.js';

const run = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });
const fail = (action: string, errorMessage: string): ToolCall => ({ name: 'Bash', action, ok: false, errorMessage });

function trialsOf(...toolCalls: ToolCall[]): Trial[] {
  const execution = { id: 'e', agentId: 'a', agentName: 'Ada', owner: 'o', rootExecutionKey: 'e', origin: 'o' };
  const report = { toolCalls, status: 'completed', verification: { outcome: 'none' } } as const;
  const { episodes } = observe({ ...execution, finishedAt: '2026-03-01T10:00:00Z', report });
  return episodes[0]?.trials ?? [];
}

const HOOK = 'error: pre-commit hook failed';
const TESTS = 'FAILED tests/test_vat.py::test_rate - AssertionError: 19 != 7';
const LINT = 'src/a.ts:3:1 error TS2322: Type is not assignable';
const REJECTED = 'error: failed to push some refs, the tip of your branch is behind';

describe('a success that only skips a check', () => {
  it.each([
    ['git commit -m x', HOOK, 'git commit --no-verify -m x'],
    ['git commit -m x', HOOK, 'SKIP=lint git commit -m x'],
    ['git commit -m x', HOOK, 'HUSKY=0 git commit -m x'],
    ['git push', REJECTED, 'git push --force'],
    ['npm install', 'npm ERR! code ERESOLVE', 'npm install --force'],
    ['mvn package', 'There are test failures.', 'mvn package -DskipTests'],
    ['pytest', TESTS, 'pytest --deselect tests/test_vat.py::test_rate'],
    ['pytest', TESTS, 'pytest -k "not rate"'],
    ['pytest', TESTS, 'pytest --ignore=tests/test_vat.py'],
    ['npx jest', TESTS, 'npx jest -t cart'],
    ['go test ./...', TESTS, 'go test -run TestCart ./...'],
    ['npm test', TESTS, 'npm test || true'],
    ['npm test', TESTS, 'npm test 2>/dev/null; true'],
    ['make check', TESTS, 'make check; exit 0'],
    ['npm test && git push', TESTS, 'git push'],
    ['npm run lint && npm run build', LINT, 'npm run build'],
    ['npm run lint && npm run build', 'npm ERR! code ELIFECYCLE', 'npm run build'],
    ['tsc --noEmit && npm run build', LINT, 'npm run build'],
    ['tsc', LINT, 'tsc --skipLibCheck'],
    ['claude -p x', 'Error: permission was refused', 'claude --dangerously-skip-permissions -p x'],
  ])('is kept as such: %s (%s), then %s', (failed, error, later) => {
    expect(trialsOf(fail(failed, error), run(later))).toMatchObject([{ skipsCheck: true }]);
  });

  it('may lie in a step between', () => {
    expect(
      trialsOf(fail('git commit -m x', HOOK), run('git config core.hooksPath x'), run('git commit -m x')),
    ).toMatchObject([{ skipsCheck: true }]);
  });

  it('ends the search for a remedy, except if the result was only thrown away', () => {
    expect(
      trialsOf(fail('git commit -m x', HOOK), run('git commit --no-verify -m x'), run('git commit -m y')),
    ).toHaveLength(1);
    const calls = [fail('npm test', TESTS), run('npm test || true'), run('NODE_ENV=test npm test')];
    expect(trialsOf(...calls).map(({ skipsCheck }) => skipsCheck)).toEqual([true, undefined]);
  });

  it.each([
    ['git commit -m x', HOOK, 'git commit -m y'],
    ['git push', REJECTED, 'git push --force-with-lease'],
    ['pytest -k rate', TESTS, 'pytest -k rate'],
    ['pytest', TESTS, 'pytest -p no:cacheprovider || exit 1'],
    ['npm test && git push', 'fatal: the remote end hung up', 'git push'],
    ['npm run build && npm run deploy', 'Error: region is missing', 'npm run deploy'],
    ['cd app && pytest', 'bash: cd: app: No such file or directory', 'pytest'],
  ])('is nothing else: %s (%s), then %s', (failed, error, later) => {
    for (const trial of trialsOf(fail(failed, error), run(later))) expect(trial.skipsCheck).toBeUndefined();
  });

  it('is none if the check passed on its own before', () => {
    const calls = [fail('npm test && git push', TESTS), run('npm test'), run('git push')];
    expect(trialsOf(...calls)[0]?.skipsCheck).toBeUndefined();
  });

  it('is none if the failed call had skipped the same check', () => {
    const trials = trialsOf(fail('git push --force', 'Error: no remote'), run('git push --force --all'));
    expect(trials[0]?.skipsCheck).toBeUndefined();
  });

  it('proves nothing with another program whose result is thrown away', () => {
    expect(trialsOf(fail('python a.py', 'SyntaxError: x'), run('python3 a.py || true'))).toEqual([]);
  });
});
