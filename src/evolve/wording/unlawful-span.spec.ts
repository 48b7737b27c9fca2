import { expect, it } from '@jest/globals';
import { unlawfulSpan } from './unlawful-span.js';

const calls = {
  worked: [
    { tool: 'shell', call: 'git push --set-upstream origin main' },
    { tool: 'query', call: '{"sql":"select 1"}' },
  ],
  failed: [{ tool: 'shell', call: 'git push -f' }],
};

it.each([
  ['Run `git push --set-upstream origin main`', undefined],
  ['Run `git push --set-upstream origin <branch>`', undefined],
  ['Add `--set-upstream origin` when `git push -f` has failed', undefined],
  ['Call `query` with `sql`', undefined],
  ['Use `git` instead of `git push -f`', undefined],
  ['Run `git push -f`', 'git push -f'],
  ['Run `git pull` first', 'git pull'],
  ['Run `git push --set-upstream`', 'git push --set-upstream'],
])('a text may recommend only what was seen to work: %s', (text, expected) => {
  expect(unlawfulSpan(text, calls)).toBe(expected);
});
