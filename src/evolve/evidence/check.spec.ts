import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, type ShortCall, worked } from '../../../test/support/recorded-calls.js';
import { shuffledOutcomes } from '../../../test/support/shuffled-outcomes.js';
import { Check } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { seededRandom } from '../statistics/seeded-random.js';
import { checkPredicate, covers } from './check.js';
import { halvesOf } from './halves.js';
import type { RecordedExecution } from './recorded-execution.js';
import { isInScope } from './verdict.js';

const useNew: Predicate = {
  when: { action: 'old', error: 'boom' },
  follow: { action: 'new' },
  against: { action: 'old' },
};

const many = (n: number, calls: (n: number) => ShortCall[], first = 0): RecordedExecution[] =>
  Array.from({ length: n }, (_, at) =>
    recordedRun(`e${first + at}`, calls(at), {
      agentId: `agent ${at % 4}`,
      environment: { harness: at % 2 === 0 ? 'one' : 'two' },
    }),
  );

const others = [worked('ls'), worked('cat x'), worked('ls y')];
/** The old form fails twice, the new one works. */
const recovering = (): ShortCall[] => [...others, failed('old'), failed('old'), worked('new'), ...others];

const check = (all: readonly RecordedExecution[], predicate = useNew) =>
  checkPredicate({ predicate, isFamily: ({ error }) => error === 'boom', held: all, all, split: 'origin' });

describe('the check of a predicate', () => {
  it('confirms what works within executions, for every agent and harness', () => {
    const checked = check(many(24, recovering));
    expect(Check.parse(checked)).toEqual(checked);
    expect(checked).toMatchObject({
      verdict: 'confirmed',
      by: 'after',
      scope: { share: 1, n: 48 },
      seen: { with: { worked: 24, n: 24 }, without: { worked: 0, n: 24 } },
      withoutOneAgent: { confirmed: 4, of: 4 },
      withoutOneHarness: { confirmed: 2, of: 2 },
    });
    expect(checked.comparisons.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['after', 'confirmed'],
      ['form', 'confirmed'],
    ]);
    expect(checked.comparisons[0]?.pairs).toMatchObject({ better: 24, worse: 0 });
  });

  it('confirms without pairs if shuffles do not look as good', () => {
    const [only, never] = [
      many(12, () => [...others, failed('old'), worked('new')]),
      many(12, () => [...others, failed('old'), failed('old')], 12),
    ];
    const checked = check([...only, ...never]);
    expect(checked.comparisons[0]).toMatchObject({ verdict: 'confirmed', pairs: null });
    expect(checked.comparisons[0]?.permutation).toBeLessThanOrEqual(0.002);
  });

  it('does not confirm by chance what executions do in which most things work', () => {
    const [able, unable] = [
      many(30, () => [failed('old'), worked('new'), ...others, ...others]),
      many(30, () => [failed('old'), failed('old'), failed('ls'), worked('cat')], 30),
    ];
    const random = seededRandom(2);
    const checked = Array.from({ length: 20 }, () => check(shuffledOutcomes([...able, ...unable], random)));
    const looksGood = checked.filter(({ comparisons }) =>
      comparisons.some(({ difference, p }) => (difference?.low ?? 0) > 0 && (p ?? 1) < 0.05),
    );
    expect(looksGood.length).toBeGreaterThan(15);
    expect(checked.map(({ verdict }) => verdict)).not.toContain('confirmed');
  });

  it('does not confirm a difference that lies between agents', () => {
    const side = (agentId: string, calls: ShortCall[]) =>
      Array.from({ length: 20 }, (_, n) => recordedRun(`${agentId} ${n}`, [...others, ...calls], { agentId }));
    const all = [...side('able', [failed('old'), worked('new')]), ...side('unable', [failed('old'), failed('old')])];
    const [compared] = check(all).comparisons;
    expect(compared?.difference?.low).toBeGreaterThan(0.5);
    expect(compared).toMatchObject({ withinAgents: null, verdict: 'undecided' });
  });

  it('calls a lesson observed if it worked three times, half of the times, and not less often than without it', () => {
    const few = (...runs: ShortCall[][]) => check(runs.map((calls, n) => recordedRun(`e${n}`, calls))).verdict;
    const [good, bad] = [
      [failed('old'), worked('new')],
      [failed('old'), failed('new', 'other')],
    ];
    const three = [good, good, good];
    expect(few(...three)).toBe('observed');
    expect(few(good, good)).toBe('undecided');
    expect(few(...three, bad, bad, bad, bad)).toBe('undecided');
    expect(few(...three, bad, [failed('old'), worked('old')])).toBe('undecided');
  });

  it('counts an observed lesson over all executions, those that it was learned from included', () => {
    const all = many(3, () => [failed('old'), worked('new')]);
    const checked = checkPredicate({ predicate: useNew, isFamily: () => true, held: [], all, split: 'origin' });
    expect(checked).toMatchObject({ verdict: 'observed', seen: { with: { worked: 3, n: 3 } } });
    expect(checked.comparisons[0]?.with.n).toBe(0);
  });

  it('refutes what works less often, and what makes no difference in many executions', () => {
    const worse = many(20, () => [failed('old'), worked('old'), failed('new', 'other')]);
    expect(check(worse)).toMatchObject({ verdict: 'refuted', by: 'after' });
    const half = (n: number) => [
      failed('old'),
      n % 8 < 6 ? worked('old') : failed('old'),
      n % 8 < 4 ? worked('new') : failed('new', 'x'),
    ];
    expect(check(many(200, half)).verdict).toBe('refuted');
  });

  it('says how many of the matching failures belong to the family', () => {
    const all = many(10, (n) => [failed('old', n < 3 ? 'boom' : 'boom of another kind'), worked('new')]);
    const checked = check(all);
    expect(checked.scope).toEqual({ share: 0.3, n: 10 });
    expect(isInScope(checked)).toBe(false);
    expect(isInScope({ scope: null })).toBe(true);
  });

  it('shows that a lesson hangs on one agent', () => {
    const runs = many(24, recovering).map((one, at) => ({ ...one, agentId: at < 20 ? 'main' : 'other' }));
    expect(check(runs).withoutOneAgent).toEqual({ confirmed: 1, of: 2 });
  });

  it('does not depend on the order of the executions', () => {
    const calls = (n: number) => (n % 3 === 0 ? [...others, failed('old'), failed('old')] : recovering().slice(n % 2));
    const all = many(30, calls);
    const { a, b } = halvesOf(all, { by: 'origin' });
    const of = (turn: <T>(list: readonly T[]) => T[]) =>
      checkPredicate({
        predicate: useNew,
        isFamily: () => true,
        held: turn(b),
        all: turn([...a, ...b]),
        split: 'origin',
      });
    expect(of((list) => [...list].reverse())).toEqual(of((list) => [...list]));
  });

  it('confirms nothing in shuffled outcomes', () => {
    const all = many(40, (n) => (n % 2 === 0 ? recovering() : [...others, failed('old'), failed('old'), failed('ls')]));
    const random = seededRandom(5);
    const verdicts = Array.from({ length: 20 }, () => check(shuffledOutcomes(all, random)).verdict);
    expect(check(all).verdict).toBe('confirmed');
    expect(verdicts).not.toContain('confirmed');
  });
});

describe('what a lesson covers', () => {
  it('are the failed calls of its condition, or those that it prevents', () => {
    const { calls } = recordedRun('e', [failed('old'), failed('new'), worked('old')]);
    expect(calls.map(covers(useNew))).toEqual([true, false, false]);
    expect(calls.map(covers({ covers: { action: 'new' } }))).toEqual([false, true, false]);
    expect(calls.map(covers({ follow: { action: 'new' } }))).toEqual([false, false, false]);
  });
});
