import { expect, it } from '@jest/globals';
import { run } from '../../../test/support/reports.js';
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

const stored = { finishedAt: new Date('2026-03-31T18:00:00Z'), calls: 2 };
const isCovered = (finishedAt: string, calls = 2, executionId = 'codex:s:last', by: typeof stored | OldTwin = stored) =>
  isCoveredBy({ executionId, finishedAt, toolCalls: Array.from({ length: calls }, () => run('ls')) }, by);
type OldTwin = Omit<typeof stored, 'calls'> & { readonly calls: null };

it('a report is covered by its twin unless it ends more than a minute later, or has more calls', () => {
  expect(isCovered('2026-03-31T17:00:00Z')).toBe(true);
  expect(isCovered('2026-03-31T18:01:00Z')).toBe(true);
  expect(isCovered('2026-03-31T18:01:01Z')).toBe(false);
  expect(isCovered('2026-03-31T18:00:00Z', 3)).toBe(false);
  expect(isCovered('2026-03-31T18:00:00Z', 3, 'codex:s:last', { ...stored, calls: null })).toBe(true);
});

it('a stream of any date is covered by its twin, unless it has more calls', () => {
  expect(isCovered('2027-01-01T00:00:00Z', 2, 'codex-stream:s:0123abcd')).toBe(true);
  expect(isCovered('2027-01-01T00:00:00Z', 3, 'codex-stream:s:0123abcd')).toBe(false);
});
