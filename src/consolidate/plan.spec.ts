import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from '../../test/support/kept-lessons.js';
import { type MergeableLesson, weakest } from '../memory/upkeep/mergeable.js';
import { DAY_MS } from '../platform/base/durations.js';
import { INDEX_BOUNDS } from './bounds.js';
import { planConsolidation, unrepresented } from './plan.js';
import { withAbsoluteDates } from './relative-dates.js';

const AT = new Date('2026-03-04T12:00:00Z');

interface Given extends Partial<Omit<MergeableLesson, 'lesson' | 'id'>> {
  readonly action?: string;
  readonly discovery?: string;
}

function lesson(
  id: string,
  { action = 'Use `python3 close.py`.', discovery = 'python fails', ...rest }: Given = {},
): MergeableLesson {
  return {
    id,
    category: 'PROCEDURAL',
    lesson: {
      discovery,
      activation: { condition: 'It failed.', action, rationale: 'It worked.' },
      steps: [action],
      confidence: 0.7,
      tags: [],
    },
    controlTags: ['non-inferable'],
    provenance: 'unverified',
    proposer: 'rules/1',
    contentSha256: id,
    failureKey: 'failure',
    remedyKey: 'remedy',
    answeredBy: null,
    stands: false,
    pinned: false,
    isPersons: false,
    isCopy: false,
    isPlaceholder: false,
    createdAt: AT,
    lastWitnessedAt: AT,
    lastRetrievedAt: null,
    relevanceCount: 0,
    witnesses: [`execution of ${id}`],
    ...rest,
  };
}

const planOf = (...lessons: readonly MergeableLesson[]) => planConsolidation(lessons, (base) => `new ${base}`);
const keyless = { failureKey: null, remedyKey: null };

describe('the plan of a consolidation', () => {
  it('makes one lesson of a failure and remedy, with each witness once and the best evidenced words', () => {
    const best = lesson('b', { witnesses: ['1', '2'], action: 'Use `python3 close.py` then.' });
    const { merges, after } = planOf(lesson('a', { witnesses: ['1'] }), best, lesson('c', { witnesses: ['3'] }));
    expect(merges).toMatchObject([{ reason: 'merged', into: 'new b', base: { id: 'b' } }]);
    expect(merges[0]?.from.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
    expect(merges[0]?.written?.lesson).toEqual(best.lesson);
    expect(after.lines).toBe(1);
  });

  it('keeps the words of people and of evidence: other lessons end for a pinned or verified one', () => {
    const verified = lesson('v', { provenance: 'verified', stands: true });
    const { merges } = planOf(verified, lesson('a', { witnesses: ['1', '2', '3'] }));
    expect(merges).toMatchObject([{ into: 'v', written: undefined }]);
    expect(merges[0]?.from.map(({ id }) => id)).toEqual(['a']);
    expect(planOf(verified, lesson('w', { provenance: 'verified', stands: true })).merges).toEqual([]);
  });

  it('joins the same words in another order, and never other values or a negation', () => {
    const note = (id: string, action: string) => lesson(id, { ...keyless, action });
    const ends = (...actions: string[]) => planOf(...actions.map((action, n) => note(`n${n}`, action))).merges.length;
    expect(ends('Start the database before the tests run.', 'Start the database before the tests run!')).toBe(1);
    expect(ends('Build the project with node 18 always.', 'Build the project with node 20 always.')).toBe(0);
    expect(ends('Use `npm ci` to install the packages.', 'Use `npm install` to install the packages.')).toBe(0);
  });

  it('ends a case that says nothing more than a general lesson about the same failure', () => {
    const general = lesson('g', {
      remedyKey: 'x',
      action: 'Restart the database, clear the cache and repeat the tests.',
    });
    const one = lesson('c', { remedyKey: 'y', action: 'Clear the cache and repeat the tests.', witnesses: ['1', '2'] });
    expect(planOf(general, one).merges).toMatchObject([
      { reason: 'covered', base: { id: 'g' }, from: [{ id: 'g' }, { id: 'c' }] },
    ]);
    const elsewhere = lesson('c', { ...one, failureKey: 'other', action: 'Clear the cache and repeat the tests.' });
    expect(planOf(general, elsewhere).merges).toEqual([]);
  });

  it('settles a contradiction by foundation, then by later evidence, and otherwise asks the owner', () => {
    const yes: Given = { remedyKey: 'x', action: 'Run the migration before the tests.' };
    const no: Given = { remedyKey: 'y', action: 'Do not run the migration before the tests.' };
    const later = new Date(AT.getTime() + DAY_MS);
    expect(planOf(lesson('a', yes), lesson('b', { ...no, lastWitnessedAt: later })).endings).toMatchObject([
      { memory: { id: 'a' }, reason: 'contradicted', by: 'b' },
    ]);
    const verified = lesson('a', { ...yes, provenance: 'verified', stands: true });
    expect(planOf(verified, lesson('b', { ...no, lastWitnessedAt: later })).endings).toMatchObject([
      { memory: { id: 'b' }, by: 'a' },
    ]);
    const open = planOf(lesson('a', yes), lesson('b', no));
    expect(open.endings).toEqual([]);
    expect(open.contradictions).toMatchObject([{ kept: undefined, ended: undefined }]);
  });

  it.each([
    ['a word that both have', 'Do not quote the file.', 'Pass "-n" and the file to `grep`, and read all lines.'],
    ['another value', 'Run it with "b" instead of "c" in the argument.', 'Run it with "d" in the argument first.'],
    ['a program that it replaces', 'Use `sort -n` instead of `cat`.', 'Run `cat` first, then `grep x a.txt` again.'],
    ['another exchange', 'Use `a.py` instead of `b.py`.', 'Use `d.py` instead of `c.py`.'],
    ['what both refuse', 'Use `a.py` instead of `b.py`.', 'Use `c.py` instead of `b.py`.'],
  ])('takes no two lessons for a contradiction because of %s', (_what, one, other) => {
    expect(planOf(lesson('a', { action: one }), lesson('b', { remedyKey: 'y', action: other })).contradictions).toEqual(
      [],
    );
  });

  it.each([
    ['a call', 'Use `a.py` instead of `b.py`.', 'Use `b.py` instead of `a.py`.'],
    ['a quotation', 'Use "main" instead of "master" as the branch.', 'Use "master" rather than "main" as the branch.'],
    ['a call that one rules out', 'Do not run `npm ci` here.', 'Run `npm ci` before the tests.'],
  ])('finds a contradiction about %s', (_what, one, other) => {
    const { contradictions } = planOf(lesson('a', { action: one }), lesson('b', { remedyKey: 'y', action: other }));
    expect(contradictions).toHaveLength(1);
  });

  it('prunes the least useful lines beyond the bounds, and never a pinned one', () => {
    const many = Array.from({ length: INDEX_BOUNDS.lines + 3 }, (_, n) =>
      lesson(`l${n}`, {
        failureKey: `failure ${n}`,
        relevanceCount: n,
        ...(n === 0 ? { pinned: true, stands: true } : {}),
      }),
    );
    const { endings, after } = planOf(...many);
    expect(endings.map(({ memory: { id } }) => id).sort()).toEqual(['l1', 'l2', 'l3']);
    expect(after.lines).toBe(INDEX_BOUNDS.lines);
    const long = many.slice(0, 60).map((one) => ({ ...one, lesson: { ...one.lesson, discovery: 'x'.repeat(600) } }));
    expect(planOf(...long).after.bytes).toBeLessThanOrEqual(INDEX_BOUNDS.bytes);
  });

  it('keeps the lesson that ends a claim in the same run, however little it was used', () => {
    const many = Array.from({ length: INDEX_BOUNDS.lines + 3 }, (_, n) =>
      lesson(`l${n}`, { failureKey: `failure ${n}`, relevanceCount: n }),
    );
    const claim = lesson('claim', { failureKey: 'failure 0', remedyKey: null, answeredBy: 'l0' });
    const { endings } = planOf(...many, claim);
    expect(endings.map(({ memory: { id }, reason }) => `${id} ${reason}`).sort()).toEqual([
      'claim answered',
      'l1 pruned',
      'l2 pruned',
      'l3 pruned',
    ]);
  });

  it('holds for every store, in any order: nothing is lost, and no provenance rises', () => {
    const anyLesson = fc.record({
      action: fc.constantFrom(
        'Use `a`.',
        'Use `b` first.',
        'Run the tests again now.',
        'Do not run the tests again now.',
        'It failed yesterday: wait.',
      ),
      failureKey: fc.constantFrom('f', 'g', null),
      remedyKey: fc.constantFrom('x', 'y'),
      provenance: fc.constantFrom('unverified' as const, 'verified' as const, 'unavailable_at_write_time' as const),
      pinned: fc.boolean(),
      witnesses: fc.subarray(['1', '2', '3', '4']),
      relevanceCount: fc.nat(3),
    });
    const stores = fc.array(anyLesson, { maxLength: 14 }).map((all) =>
      all.map((one, n) =>
        lesson(`l${n}`, {
          ...one,
          remedyKey: one.failureKey === null ? null : one.remedyKey,
          stands: one.pinned || one.provenance === 'verified',
        }),
      ),
    );
    fc.assert(
      fc.property(stores.chain(shuffled), ([store, other]) => {
        const plan = planOf(...store);
        expect(planOf(...other)).toEqual(plan);
        expect(unrepresented(store, plan)).toEqual([]);
        const ended = [...plan.merges.flatMap(({ from }) => from), ...plan.endings.map((one) => one.memory)];
        expect(new Set(ended.map(({ id }) => id)).size).toBe(ended.length);
        expect(ended.filter(({ pinned, provenance }) => pinned || provenance === 'verified')).toEqual([]);
        for (const { written, from } of plan.merges)
          if (written) expect(written.provenance).toBe(weakest(from.map((one) => one.provenance)));
        const gone = new Set(ended.map(({ id }) => id));
        const next = [
          ...store.filter(({ id }) => !gone.has(id)),
          ...plan.merges.flatMap(({ written }) => written ?? []),
        ];
        expect(next).toHaveLength(plan.after.lines);
      }),
    );
  });
});

describe('relative dates', () => {
  it.each([
    ['It failed yesterday.', 'It failed on 2026-03-03.'],
    ['Since last week the build needs it.', 'Since the week of 2026-02-23 the build needs it.'],
    ['Seen two days ago and 3 months ago.', 'Seen on 2026-03-02 and in 2025-12.'],
    ['Use `git log --since=yesterday` today.', 'Use `git log --since=yesterday` on 2026-03-04.'],
    ['It says "created 2 days ago".', 'It says "created 2 days ago".'],
  ])('%s', (text, absolute) => {
    expect(withAbsoluteDates(text, AT).text).toBe(absolute);
    expect(withAbsoluteDates(absolute, new Date(AT.getTime() + DAY_MS)).text).toBe(absolute);
  });
});
