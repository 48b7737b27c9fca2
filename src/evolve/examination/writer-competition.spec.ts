import { describe, expect, it } from '@jest/globals';
import { WRITTEN } from '../../../test/support/fixed-writer.js';
import type { Check, Verdict } from '../../evidence/predicate/check.schema.js';
import { bestOfEach, type ExaminedCandidate } from './examined-candidate.js';
import { withWinners } from './writer-competition.js';

const MODEL = 'a model';
const CAUSE = { ...WRITTEN, cause: '`python` is version 2.' };

function candidate(by: string, verdict: Verdict, change: Partial<ExaminedCandidate> = {}): ExaminedCandidate {
  const check: Check = {
    verdict,
    split: 'origin',
    by: null,
    comparisons: [],
    scope: null,
    seen: { with: { worked: 6, n: 7 }, without: { worked: 0, n: 3 } },
    withoutOneAgent: null,
    withoutOneHarness: null,
  };
  return {
    key: `${by} ${verdict}`,
    how: 'replace',
    action: 'python3',
    label: `by ${by}`,
    taught: [],
    avoided: [],
    predicate: {},
    by,
    words: by === 'rules' ? null : WRITTEN,
    check,
    binding: {},
    workedFor: { agents: 3, owners: 1 },
    dangers: [],
    treated: new Set(['call 1', 'call 2']),
    ...change,
  };
}

const elsewhere = { treated: new Set(['call 8', 'call 9']) };
const outcome = (...found: ExaminedCandidate[]) =>
  withWinners(found, 1).map(({ by, check, lostTo }) => `${by} ${check.verdict}${lostTo ? `, lost to ${lostTo}` : ''}`);

describe('the writers of one family', () => {
  it('win by the better verdict, whatever the remedy', () => {
    const lost = ['rules observed, lost to a model', 'a model confirmed'];
    expect(outcome(candidate('rules', 'observed'), candidate(MODEL, 'confirmed'))).toEqual(lost);
    expect(outcome(candidate('rules', 'observed', elsewhere), candidate(MODEL, 'confirmed'))).toEqual(lost);
    expect(outcome(candidate('rules', 'confirmed'), candidate(MODEL, 'observed', { words: CAUSE }))).toEqual([
      'rules confirmed',
      'a model observed, lost to rules',
    ]);
  });

  it('of equal verdicts, win by the text with a cause, and without one the rules stand', () => {
    expect(outcome(candidate('rules', 'confirmed'), candidate(MODEL, 'confirmed', { words: CAUSE }))).toEqual([
      'rules confirmed, lost to a model',
      'a model confirmed',
    ]);
    expect(outcome(candidate('rules', 'confirmed'), candidate(MODEL, 'confirmed'))).toEqual([
      'rules confirmed',
      'a model confirmed, lost to rules',
    ]);
  });

  it('both stand with equal verdicts about different remedies', () => {
    const both = [candidate('rules', 'confirmed'), candidate(MODEL, 'confirmed', { ...elsewhere, words: CAUSE })];
    expect(outcome(...both)).toEqual(['rules confirmed', 'a model confirmed']);
  });

  it('lose to no candidate that may not be proposed itself, or that has lost', () => {
    const narrow = candidate(MODEL, 'confirmed', { words: CAUSE });
    const overGeneral = { ...narrow, check: { ...narrow.check, scope: { share: 0.1, n: 50 } } };
    expect(outcome(candidate('rules', 'observed'), overGeneral)[0]).toBe('rules observed');
    const few = candidate(MODEL, 'confirmed', { workedFor: { agents: 1, owners: 1 } });
    expect(outcome(candidate('rules', 'observed'), few)[0]).toBe('rules observed');
    const second = candidate('rules', 'observed', { key: 'second', ...elsewhere });
    expect(outcome(candidate('rules', 'confirmed'), candidate(MODEL, 'confirmed'), second)).toEqual([
      'rules confirmed',
      'a model confirmed, lost to rules',
      'rules observed',
    ]);
  });

  it('keep what lost as history of the winner, with its figures', () => {
    const [rules, model] = withWinners([candidate('rules', 'refuted'), candidate(MODEL, 'confirmed')], 1);
    expect(rules?.lostTo).toBeUndefined();
    expect(model?.other).toEqual({
      by: 'rules',
      label: 'by rules',
      verdict: 'refuted',
      with: { worked: 6, n: 7 },
      without: { worked: 0, n: 3 },
    });
    const [kept] = withWinners([candidate('rules', 'confirmed'), candidate(MODEL, 'undecided')], 1);
    expect(kept?.other).toMatchObject({ by: MODEL, label: 'Use python3', verdict: 'undecided' });
  });

  it('compete again without a candidate that was struck out', () => {
    const [rules] = withWinners([candidate('rules', 'observed'), candidate(MODEL, 'confirmed')], 1);
    expect(rules?.lostTo).toBe(MODEL);
    expect(withWinners(rules ? [rules] : [], 1)[0]?.lostTo).toBeUndefined();
  });
});

describe('a refutation', () => {
  const verdicts = (...found: ExaminedCandidate[]) =>
    bestOfEach(found).map(({ by, check }) => `${by} ${check.verdict}`);

  it('of what a model wrote pulls down no candidate of the rules', () => {
    const key = { key: 'the same' };
    for (const verdict of ['confirmed', 'observed'] as const)
      expect(verdicts(candidate('rules', verdict, key), candidate(MODEL, 'refuted', key))).toEqual([
        `rules ${verdict}`,
        'a model refuted',
      ]);
  });

  it('of the rules pulls down what a model wrote about the same calls, unless it is confirmed', () => {
    expect(verdicts(candidate('rules', 'refuted'), candidate(MODEL, 'observed'))).toEqual(['rules refuted']);
    expect(verdicts(candidate('rules', 'refuted'), candidate(MODEL, 'confirmed'))).toEqual([
      'a model confirmed',
      'rules refuted',
    ]);
  });
});
