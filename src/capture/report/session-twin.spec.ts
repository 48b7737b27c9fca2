import { expect, it } from '@jest/globals';
import { areTwins, isCoveredBy, twinFormatsOf } from './session-twin.js';

it('the hooks of a session, its telemetry and its transcript are twins', () => {
  for (const product of ['claude-code', 'codex', 'gemini', 'opencode', 'copilot']) {
    expect(twinFormatsOf(`${product}:id~session:id~last`)).toEqual([`${product}-hooks`, `${product}-otel`]);
    expect(twinFormatsOf(`${product}-hooks:id~session:0123abcd`)).toEqual([product, `${product}-otel`]);
    expect(twinFormatsOf(`${product}-otel:id~session:0123abcd`)).toEqual([product, `${product}-hooks`]);
    expect(areTwins(`${product}-hooks:s:0123abcd`, `${product}:s:last`)).toBe(true);
    expect(areTwins(`${product}-otel:s:0123abcd`, `${product}-hooks:s:0123abcd`)).toBe(true);
    expect(areTwins(`${product}:s:last`, `${product}:s:later`)).toBe(false);
  }
});

it('executions of other origin have no twin', () => {
  for (const id of ['otel:trace:0123abcd', 'atif:trial', 'run-17', 'id~abc', '-hooks:s', '-otel:s', 'other-hooks:s'])
    expect(twinFormatsOf(id)).toEqual([]);
});

it('a report is covered by its twin unless it ends more than a minute later', () => {
  const stored = new Date('2026-03-31T18:00:00Z');
  expect(isCoveredBy('2026-03-31T17:00:00Z', stored)).toBe(true);
  expect(isCoveredBy('2026-03-31T18:01:00Z', stored)).toBe(true);
  expect(isCoveredBy('2026-03-31T18:01:01Z', stored)).toBe(false);
});
