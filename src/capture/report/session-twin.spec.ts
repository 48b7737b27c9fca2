import { expect, it } from '@jest/globals';
import { areTwins, isCoveredBy, twinFormatOf } from './session-twin.js';

it('the hooks of a session and its transcript are twins', () => {
  for (const product of ['claude-code', 'codex', 'gemini', 'opencode', 'copilot']) {
    expect(twinFormatOf(`${product}:id~session:id~last`)).toBe(`${product}-hooks`);
    expect(twinFormatOf(`${product}-hooks:id~session:0123abcd`)).toBe(product);
    expect(areTwins(`${product}-hooks:s:0123abcd`, `${product}:s:last`)).toBe(true);
    expect(areTwins(`${product}:s:last`, `${product}:s:later`)).toBe(false);
  }
});

it('executions of other origin have no twin', () => {
  for (const id of ['otel:trace:0123abcd', 'atif:trial', 'run-17', 'id~abc', '-hooks:s', 'other-hooks:s'])
    expect(twinFormatOf(id)).toBeUndefined();
});

it('a report is covered by its twin unless it ends more than a minute later', () => {
  const stored = new Date('2026-03-31T18:00:00Z');
  expect(isCoveredBy('2026-03-31T17:00:00Z', stored)).toBe(true);
  expect(isCoveredBy('2026-03-31T18:01:00Z', stored)).toBe(true);
  expect(isCoveredBy('2026-03-31T18:01:01Z', stored)).toBe(false);
});
