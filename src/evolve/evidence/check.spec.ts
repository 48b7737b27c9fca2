import { describe, expect, it } from '@jest/globals';
import { learnedClaim } from '../../../test/support/learned-claims.js';
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
  learned: learnedClaim({ call: 'python a.py', error: 'boom', remedy: 'python3 a.py' }),
};
const [OLD, NEW] = ['python a.py', 'python3 a.py'];

const many = (n: number, calls: (n: number) => ShortCall[], first = 0): RecordedExecution[] =>
  Array.from({ length: n }, (_, at) =>
    recordedRun(`e${first + at}`, calls(at), {
      agentId: `agent ${at % 4}`,
      environment: { harness: at % 2 === 0 ? 'one' : 'two' },
    }),
  );

const others = [worked('ls'), worked('cat x'), worked('ls y')];
/** The old form fails twice, the new one works. */
const recovering = (): ShortCall[] => [...others, failed(OLD), failed(OLD), worked(NEW), ...others];

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
      many(12, () => [...others, failed(OLD), worked(NEW)]),
      many(12, () => [...others, failed(OLD), failed(OLD)], 12),
    ];
    const checked = check([...only, ...never]);
    expect(checked.comparisons[0]).toMatchObject({ verdict: 'confirmed', pairs: null });
    expect(checked.comparisons[0]?.permutation).toBeLessThanOrEqual(0.002);
  });

  it('does not confirm by chance what executions do in which most things work', () => {
    const [able, unable] = [
      many(30, () => [failed(OLD), worked(NEW), ...others, ...others]),
      many(30, () => [failed(OLD), failed(OLD), failed('ls'), worked('cat')], 30),
    ];
    const random = seededRandom(2);
    const checked = Array.from({ length: 20 }, () => check(shuffledOutcomes([...able, ...unable], random)));
    const looksGood = checked.filter(({ comparisons }) =>
      comparisons.some(({ difference, p }) => (difference?.low ?? 0) > 0 && (p ?? 1) < 0.05),
    );
    expect(looksGood.length).toBeGreaterThan(15);
    expect(checked.map(({ verdict }) => verdict)).not.toContain('confirmed');
  });

  it('does not confirm by calls at other times what works no better after the failure than something else', () => {
    const forms = many(24, () => [...others, worked(NEW), failed(OLD)]);
    const later = (last: ShortCall) => many(4, () => [failed(OLD), last], 24);
    expect(check([...forms, ...later(worked(NEW))])).toMatchObject({ verdict: 'confirmed', by: 'form' });
    const both = [...forms, ...later(worked(NEW)), ...many(4, () => [failed(OLD), worked('python2 a.py')], 28)];
    expect(check(both).verdict).not.toBe('confirmed');
  });

  it('does not confirm a difference that lies between agents', () => {
    const side = (agentId: string, calls: ShortCall[]) =>
      Array.from({ length: 20 }, (_, n) => recordedRun(`${agentId} ${n}`, [...others, ...calls], { agentId }));
    const all = [...side('able', [failed(OLD), worked(NEW)]), ...side('unable', [failed(OLD), failed(OLD)])];
    const [compared] = check(all).comparisons;
    expect(compared?.difference?.low).toBeGreaterThan(0.5);
    expect(compared).toMatchObject({ withinAgents: null, verdict: 'undecided' });
  });

  it('calls a lesson observed if it worked three times, half of the times, and not less often than without it', () => {
    const few = (...runs: ShortCall[][]) => check(runs.map((calls, n) => recordedRun(`e${n}`, calls))).verdict;
    const [good, bad] = [
      [failed(OLD), worked(NEW)],
      [failed(OLD), failed(NEW, 'other')],
    ];
    const three = [good, good, good];
    expect(few(...three)).toBe('observed');
    expect(few(good, good)).toBe('undecided');
    expect(few(...three, bad, bad, bad, bad)).toBe('undecided');
    expect(few(...three, bad, [failed(OLD), worked(OLD)])).toBe('undecided');
  });

  it('counts an observed lesson over all executions, those that it was learned from included', () => {
    const all = many(3, () => [failed(OLD), worked(NEW)]);
    const checked = checkPredicate({ predicate: useNew, isFamily: () => true, held: [], all, split: 'origin' });
    expect(checked).toMatchObject({ verdict: 'observed', seen: { with: { worked: 3, n: 3 } } });
    expect(checked.comparisons[0]?.with.n).toBe(0);
  });

  it('refutes what works less often, and what makes no difference in many executions', () => {
    const worse = many(20, () => [failed(OLD), worked(OLD), failed(NEW, 'other')]);
    expect(check(worse)).toMatchObject({ verdict: 'refuted', by: 'after' });
    const half = (n: number) => [
      failed(OLD),
      n % 8 < 6 ? worked(OLD) : failed(OLD),
      n % 8 < 4 ? worked(NEW) : failed(NEW, 'x'),
    ];
    expect(check(many(200, half)).verdict).toBe('refuted');
  });

  it('says how many of the matching failures belong to the family', () => {
    const all = many(10, (n) => [failed(OLD, n < 3 ? 'boom' : 'boom of another kind'), worked(NEW)]);
    const checked = check(all);
    expect(checked.scope).toEqual({ share: 0.3, n: 10 });
    expect(isInScope(checked)).toBe(false);
    expect(isInScope({ scope: null })).toBe(true);
    const unlearnable = all.map((one) => ({
      ...one,
      calls: one.calls.map((call) => {
        const { failure, ...others } = call;
        return failure && call.error === 'boom' ? { ...others, failure } : others;
      }),
    }));
    expect(check(unlearnable).scope).toEqual({ share: 1, n: 3 });
  });

  it('shows that a lesson hangs on one agent', () => {
    const runs = many(24, recovering).map((one, at) => ({ ...one, agentId: at < 20 ? 'main' : 'other' }));
    expect(check(runs).withoutOneAgent).toEqual({ confirmed: 1, of: 2 });
  });

  it('does not depend on the order of the executions', () => {
    const calls = (n: number) => (n % 3 === 0 ? [...others, failed(OLD), failed(OLD)] : recovering().slice(n % 2));
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

  it('shuffles executions with other ids the same way', () => {
    const calls = (n: number) => [
      ...others.slice(n % 3),
      failed(OLD),
      ...(n % 2 === 0 ? [failed(OLD)] : []),
      worked(NEW),
    ];
    const all = many(8, calls).map((one, n) => ({ ...one, finishedAt: `2026-01-01T00:${10 + n}:00Z` }));
    const sharesWith = (idOf: (n: number) => string) =>
      check(all.map((one, n) => ({ ...one, id: idOf(n) }))).comparisons.map(({ permutation }) => permutation);
    const expected = sharesWith((n) => `e${n}`);
    expect(expected[0]).toBeGreaterThan(0);
    for (const step of [3, 5, 7]) expect(sharesWith((n) => `e${(n * step) % 8}`)).toEqual(expected);
  });

  it('confirms nothing in shuffled outcomes', () => {
    const all = many(40, (n) => (n % 2 === 0 ? recovering() : [...others, failed(OLD), failed(OLD), failed('ls')]));
    const random = seededRandom(5);
    const verdicts = Array.from({ length: 20 }, () => check(shuffledOutcomes(all, random)).verdict);
    expect(check(all).verdict).toBe('confirmed');
    expect(verdicts).not.toContain('confirmed');
  });
});

describe('what a lesson covers', () => {
  it('are the failed calls of its conditions; nothing if the learning core did not find it', () => {
    const { calls } = recordedRun('e', [failed(OLD), failed(NEW), worked(OLD)]);
    expect(calls.map(covers(useNew))).toEqual([true, false, false]);
    expect(calls.map(covers({ execution: { first: {}, before: {} } }))).toEqual([false, false, false]);
  });
});
