import { expect, it } from '@jest/globals';
import { areTwins, isCoveredBy, twinFormatsOf } from './session-twin.js';

it('the transcript of a session, its hooks, its telemetry and its stream are twins', () => {
  for (const product of ['claude-code', 'codex', 'gemini', 'opencode', 'copilot']) {
    const formats = [product, `${product}-hooks`, `${product}-otel`, `${product}-stream`];
    for (const format of formats)
      expect(twinFormatsOf(`${format}:id~session:id~last`)).toEqual(formats.filter((other) => other !== format));
    expect(areTwins(`${product}-hooks:s:0123abcd`, `${product}:s:last`)).toBe(true);
    expect(areTwins(`${product}-otel:s:0123abcd`, `${product}-hooks:s:0123abcd`)).toBe(true);
    expect(areTwins(`${product}-hooks:s:0123abcd`, `${product}-stream:s:last`)).toBe(true);
    expect(areTwins(`${product}:s:last`, `${product}:s:later`)).toBe(false);
  }
});

it('executions of other origin have no twin', () => {
  for (const id of [
    ...['otel:trace:0123abcd', 'atif:trial', 'run-17', 'id~abc'],
    ...['-hooks:s', '-otel:s', 'other-hooks:s', '-stream:s'],
  ])
    expect(twinFormatsOf(id)).toEqual([]);
});

it('a report is covered by its twin unless it ends more than a minute later', () => {
  const stored = new Date('2026-03-31T18:00:00Z');
  const isCovered = (finishedAt: string, executionId = 'codex:s:last') =>
    isCoveredBy({ executionId, finishedAt }, stored);
  expect(isCovered('2026-03-31T17:00:00Z')).toBe(true);
  expect(isCovered('2026-03-31T18:01:00Z')).toBe(true);
  expect(isCovered('2026-03-31T18:01:01Z')).toBe(false);
});

it('a stream is covered by its twin, whatever the date of its file', () => {
  const report = { executionId: 'codex-stream:s:0123abcd', finishedAt: '2027-01-01T00:00:00Z' };
  expect(isCoveredBy(report, new Date('2026-03-31T18:00:00Z'))).toBe(true);
});
