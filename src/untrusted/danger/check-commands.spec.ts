import { describe, expect, it } from '@jest/globals';
import { overridesCheck, runsCheck, selectsChecks } from './check-commands.js';
import { dangersInCommand } from './dangers-in-command.js';

const words = (command: string): string[] => command.split(' ');

describe('a command that checks the work', () => {
  it.each(
    'pytest|npm test|npm run lint|npm run test:unit|yarn typecheck|make check|cargo clippy|go vet|tsc|python -m pytest|npx eslint|./node_modules/.bin/jest'.split(
      '|',
    ),
  )('is known: %s', (command) => {
    expect(runsCheck(words(command))).toBe(true);
  });

  it.each('npm run build|npm ci|make all|git push|python test.py|cargo build|test -f a|cp tests out'.split('|'))(
    'is nothing else: %s',
    (command) => {
      expect(runsCheck(words(command))).toBe(false);
    },
  );

  it('is narrowed by options that select a part of it', () => {
    expect(selectsChecks(words('python -m pytest'), '-k')).toBe(true);
    expect(selectsChecks(words('python -m pytest tests'), '-m')).toBe(false);
    expect(selectsChecks(words('python -m pytest -m slow'), '-m')).toBe(true);
    expect(selectsChecks(words('go test'), '-run')).toBe(true);
    expect(selectsChecks(words('pytest'), '-v')).toBe(false);
    expect(selectsChecks(words('curl'), '-k')).toBe(false);
  });
});

describe('a form that passes a check without meeting it', () => {
  it.each([
    ['git commit --no-verify', true],
    ['git push --force', true],
    ['gemini --yolo', true],
    ['copilot --allow-all-tools', true],
    ['claude --dangerously-skip-permissions', true],
    ['curl --insecure [url]', false],
    ['pip install --break-system-packages x', false],
    ['npm install --registry [url]', false],
  ])('%s: %s', (command, overrides) => {
    const dangers = dangersInCommand(command);
    expect(dangers).not.toEqual([]);
    expect(dangers.some(overridesCheck)).toBe(overrides);
  });

  it.each(
    '--no-lint|--skip-lint|--no-check|--no-test|--skip-tests|--skip-test-phase|--skip-unit-tests|--no-typecheck|--no-verify|--skip-verification'.split(
      '|',
    ),
  )('is known in a program of any name: %s', (option) => {
    expect(dangersInCommand(`shipit release ${option}`).some(overridesCheck)).toBe(true);
  });

  it.each('--skip-latest|--no-latest|--no-audit|--no-checkout|--no-tests-log'.split('|'))(
    'is not a switch of a program without a row that only sounds like it: %s',
    (option) => {
      expect(dangersInCommand(`shipit release ${option}`)).toEqual([]);
    },
  );
});
