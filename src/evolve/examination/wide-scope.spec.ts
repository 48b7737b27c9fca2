import { describe, expect, it } from '@jest/globals';
import { WRITTEN } from '../../../test/support/fixed-writer.js';
import { failed, recordedCall } from '../../../test/support/recorded-calls.js';
import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import type { ExaminedCandidate } from './examined-candidate.js';
import type { FamilyFindings } from './family-examination.js';
import { withWideScope } from './wide-scope.js';

const WHOLE = `sha256:${'1'.repeat(64)}`;
const OTHER = `sha256:${'2'.repeat(64)}`;

const failedWith = (error: string): RecordedCall => recordedCall(failed('lang a.x', error));

function candidate(by: string, error: string): ExaminedCandidate {
  const predicate: Predicate = { when: { error }, follow: { args: 'lang3' } };
  return {
    key: by,
    how: 'replace',
    action: 'lang3',
    label: by,
    taught: [],
    avoided: [],
    predicate,
    by,
    binding: {},
    words: by === 'rules' ? null : WRITTEN,
    dangers: [],
    treated: new Set(['1', '2']),
    workedFor: { agents: 3, owners: 3 },
    check: {
      verdict: by === 'rules' ? 'observed' : 'confirmed',
      split: 'origin',
      by: null,
      comparisons: [],
      scope: { share: 1, n: 12 },
      seen: { with: { worked: 6, n: 7 }, without: { worked: 0, n: 3 } },
      withoutOneAgent: null,
      withoutOneHarness: null,
    },
  };
}

/** A family of 30 failures, of which the first ones are kept. */
const findings = (fingerprint: string, errors: string[], candidates: ExaminedCandidate[] = [], value?: string) =>
  ({
    family: { fingerprint, ...(value === undefined ? {} : { value }) },
    dossier: { failures: 30 },
    failures: errors.map(failedWith),
    candidates,
  }) as unknown as FamilyFindings;

const scopes = (all: FamilyFindings[]) =>
  withWideScope(all, 1)[0]?.candidates.map(({ by, check }) => [by, check.scope]);

describe('the scope of what a model wrote', () => {
  const others = [1, 2, 3].map((n) => findings(`${OTHER.slice(0, -1)}${n}`, ['error: no such table', 'error: denied']));

  it('is counted over the failures of all families, and lets the rules stand where it is too wide', () => {
    const all = [findings(WHOLE, ['error: stale lock'], [candidate('rules', 'stale'), candidate('a model', 'error')])];
    expect(scopes(all)).toEqual([
      ['rules', { share: 1, n: 12 }],
      ['a model', { share: 1, n: 12 }],
    ]);
    const [own] = withWideScope([...all, ...others], 1);
    expect(own?.candidates.map(({ by, check, lostTo }) => [by, check.scope, lostTo])).toEqual([
      ['rules', { share: 1, n: 12 }, undefined],
      ['a model', { share: 0.25, n: 120 }, undefined],
    ]);
  });

  it('holds values that were split off the family, and is never wider than in its own executions', () => {
    const part = findings(familyFingerprint(WHOLE, 'b'), ['error: stale lock b'], [], 'b');
    const all = [findings(WHOLE, ['error: stale lock'], [candidate('a model', 'stale')]), part, ...others];
    expect(scopes(all)).toEqual([['a model', { share: 1, n: 12 }]]);
  });

  it('of the rules stays as it is', () => {
    expect(scopes([findings(WHOLE, ['error: stale'], [candidate('rules', 'error')]), ...others])).toEqual([
      ['rules', { share: 1, n: 12 }],
    ]);
  });
});
