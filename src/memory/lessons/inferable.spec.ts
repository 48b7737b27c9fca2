import { describe, expect, it } from '@jest/globals';
import { inferableFrom } from './inferable.js';

describe('what an agent could read where it works', () => {
  it.each([
    ['This project is written in TypeScript.', 'manifests'],
    ['The project uses TypeScript and Jest', 'manifests'],
    ['The repository is a Python package', 'manifests'],
    ['our codebase uses pnpm for packages', 'manifests'],
    ['The dependencies are listed in package.json', 'file'],
    ['According to README.md the service listens on port 8080', 'file'],
    ['package.json has a script called test', 'file'],
    ['The settings are documented in docs/README.md.', 'file'],
    ['Node version is 22.12.0', 'command'],
    ['The current branch is main', 'command'],
    ['OS: Ubuntu 24.04', 'command'],
    ['Run `npm test` to run the tests', 'script'],
    ['To build: run npm run build', 'script'],
    ['Use make lint for linting', 'script'],
    ['The tests are in test/', 'folder'],
    ['Source code lives in the src folder', 'folder'],
  ])('is marked, with the reason: %s', (text, reason) => {
    expect(inferableFrom(text)).toContain(reason);
  });

  it.each([
    'our test fixtures live in testdata/golden/',
    'the codebase calls X the dashboard',
    'This project uses TypeScript because the generated client needs types',
    'Do not use npm test, it skips the slow ones',
    'Use pnpm instead of npm',
    'The project uses tabs',
    'the tests need the VPN',
    'Rosa prefers small commits',
    'The staging host has no swap',
    'The nightly export needs python3',
    'We deploy on Tuesdays, after the backup',
    'the tests are in packages/shop/checks/',
    'The port is set in the vault, and package.json is wrong',
    'The current release manager is Rosa Diaz of the shop team',
    'host db2',
    '',
  ])('may be worth keeping: %s', (text) => {
    expect(inferableFrom(text)).toBeUndefined();
  });

  it('takes time that grows with the text at most', () => {
    const hostile = ['a/'.repeat(70), 'typescript, '.repeat(12), 'the '.repeat(39), '`'.repeat(150)];
    for (const text of hostile) expect(inferableFrom(`${text} is defined in package.json x`)).toBeUndefined();
  });
});
