import { describe, expect, it } from '@jest/globals';
import { judgedOutcome } from './foreign-report.js';
import type { Judgement } from './importer.js';

const file = (content: unknown, isOfOne = false): Judgement => ({
  name: 'report.json',
  text: typeof content === 'string' ? content : JSON.stringify(content),
  isOfOne,
});
const SOLVED = { verification: { outcome: 'succeeded', source: 'test' } };
const UNSOLVED = { verification: { outcome: 'failed', source: 'test' } };

describe('the outcome that a file beside a transcript judges', () => {
  it.each([
    ['a report by task', { 'shop-17': { resolved: true, patch_exists: true } }, SOLVED],
    ['a report by task that failed', { 'shop-17': { resolved: false } }, UNSOLVED],
    ['a summary of the solved tasks', { resolved_ids: ['shop-17'], unresolved_ids: [] }, SOLVED],
    ['a summary of the unsolved tasks', { resolved_ids: [], unresolved_ids: ['shop-17'] }, UNSOLVED],
    ['an older summary', { resolved: ['shop-17'], applied: ['shop-17', 'shop-18'] }, SOLVED],
  ])('is read from %s', (_what, content, outcome) => {
    expect(judgedOutcome(['other', 'shop-17'], [file(content)])).toEqual(outcome);
  });

  it('is unknown for a task that no file names', () => {
    expect(
      judgedOutcome(['shop-18'], [file({ resolved_ids: ['shop-17'] }), file({ 'shop-17': { resolved: true } })]),
    ).toBeUndefined();
    expect(
      judgedOutcome(['shop-17'], [file('{'), file('[]'), file('7'), file({ 'shop-17': 'resolved' })]),
    ).toBeUndefined();
    expect(judgedOutcome([], undefined)).toBeUndefined();
  });

  it('counts without the name of a task only beside the only transcript', () => {
    expect(judgedOutcome(['shop-17'], [file({ resolved: true })])).toBeUndefined();
    expect(judgedOutcome(['shop-17'], [file({ resolved: true }, true)])).toEqual(SOLVED);
    expect(judgedOutcome(['shop-17'], [file({ success: false }, true)])).toEqual(UNSOLVED);
  });

  it('is that of the nearest file', () => {
    const nearest = file({ resolved: false }, true);
    expect(judgedOutcome(['shop-17'], [nearest, file({ resolved_ids: ['shop-17'] })])).toEqual(UNSOLVED);
  });

  it('may be the word of a person, with a score', () => {
    expect(judgedOutcome([], [file({ resolved: true, source: 'person', qualityScore: 9 }, true)])).toEqual({
      verification: { outcome: 'succeeded', source: 'person' },
      qualityScore: 9,
    });
    expect(judgedOutcome([], [file({ resolved: true, source: 'self', qualityScore: 11 }, true)])).toEqual(SOLVED);
  });
});
