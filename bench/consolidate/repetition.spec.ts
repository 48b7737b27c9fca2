import { describe, expect, it } from '@jest/globals';
import { repetitionIn } from './repetition.js';

const record = (lesson: string, more: object = {}): string =>
  JSON.stringify({ provenance: 'unverified: context only', date: '2026-01-02', lesson, ...more });
const PYTHON = 'Use python3 for the closing of the books because a bare python is an old one here.';

describe('the repetition in a recall', () => {
  it('counts the words of a line that says what an earlier one says', () => {
    const { words, lines, phrases } = repetitionIn([record(PYTHON), record(PYTHON)]);
    expect([words, lines, phrases]).toEqual([34, 17, 17]);
  });

  it('leaves out the fields that stand in every record', () => {
    expect(repetitionIn([record('Use python3.'), record('Look the path up.')])).toEqual({
      words: 6,
      lines: 0,
      phrases: 0,
    });
  });

  it('finds the phrases that two different lines share, each word once', () => {
    const why = 'Why: the call failed once with this error and afterwards worked.';
    const { lines, phrases } = repetitionIn([
      record(`Use python3 in the ledger. ${why}`),
      record(`Install the missing package with pip before the report is built. ${why}`),
    ]);
    expect([lines, phrases]).toEqual([0, 11]);
  });

  it('is nothing without lines', () => {
    expect(repetitionIn([])).toEqual({ words: 0, lines: 0, phrases: 0 });
  });
});
