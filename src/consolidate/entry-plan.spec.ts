import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from '../../test/support/kept-lessons.js';
import type { MergeableEntry } from '../memory/upkeep/mergeable.js';
import { DAY_MS } from '../platform/base/durations.js';
import { planEntries } from './entry-plan.js';
import { unrepresented } from './plan.js';

const AT = new Date('2026-03-04T12:00:00Z');
const BOUNDS = { lines: 200, bytes: 25 * 1024 };

function entry(id: string, content: string, more: Partial<MergeableEntry> = {}): MergeableEntry {
  return {
    id,
    content,
    kind: 'fact',
    contentSha256: content,
    provenance: 'unverified',
    pinned: true,
    stands: false,
    isPersons: false,
    createdAt: AT,
    lastRetrievedAt: null,
    ...more,
  };
}

const persons = { isPersons: true, stands: true };
const loose = { pinned: false };
const daysLater = (days: number) => ({ createdAt: new Date(AT.getTime() + days * DAY_MS) });
const planned = (entries: readonly MergeableEntry[], bounds = BOUNDS) => {
  const plan = planEntries({ project: 'shop', entries }, bounds);
  return { ...plan, pruned: plan.endings.map(({ memory }) => memory) };
};
const planOf = (...entries: readonly MergeableEntry[]) => planned(entries);

/** `into` and what ends for it, by id. */
const mergesOf = (...entries: readonly MergeableEntry[]) =>
  planOf(...entries).merges.map(({ into, from }) => [
    into,
    from
      .map(({ id }) => id)
      .sort()
      .join(' '),
  ]);
const areOne = (a: string, b: string, kind: MergeableEntry['kind'] = 'fact') =>
  planOf(entry('a', a, { kind }), entry('b', b, { kind })).merges.length === 1;
const questionsOf = (a: string, b: string, kind: MergeableEntry['kind'] = 'fact') =>
  planOf(entry('a', a, { kind }), entry('b', b, { kind })).questions.map(({ why }) => why);

describe('entries that say the same', () => {
  it.each([
    ['Fixtures live in testdata/golden/', 'the fixtures live in testdata/golden/.'],
    ['our test fixtures live in testdata/golden', 'The test fixture lives in testdata/golden'],
    ['Run the tests with pnpm in CI', 'In CI run tests with pnpm'],
    ['deploy on Fridays, never on Mondays', 'Never on Mondays, deploy on Fridays'],
    ['use `pnpm test` before a push', 'Use `pnpm  test` before the push!'],
  ])('are one: %s', (a, b) => {
    expect([areOne(a, b), areOne(b, a)]).toEqual([true, true]);
    expect(questionsOf(a, b)).toEqual([]);
  });

  it.each([
    ['use tabs', 'do not use tabs'],
    ['the port is 5432', 'the port is 5433'],
    ['use `pnpm test`', 'use `pnpm Test`'],
    ['the shop calls the bank', 'the bank calls the shop'],
    ['the shop depends on the bank', 'the bank depends on the shop'],
    ['staging uses port 1, production port 2', 'port 1 production, port 2 staging uses'],
    ['fixtures live in testdata/golden', 'fixtures live in testdata/gold'],
    ['tests may use the network', 'tests must use the network'],
    ['deploy <branch> first', 'deploy <tag> first'],
    ['copy a.txt to b.txt', 'copy b.txt to a.txt'],
    ['is the cache on?', 'is the cache on'],
    ['the server restarts at night', 'the daemon restarts at night'],
    ['call getUser for it', 'call getuser for it'],
  ])('are not one, although they are alike: %s', (a, b) => {
    expect([areOne(a, b), areOne(b, a)]).toEqual([false, false]);
  });

  it('are of one kind', () => {
    expect(mergesOf(entry('a', 'use pnpm', { kind: 'decision' }), entry('b', 'use pnpm'))).toEqual([]);
    for (const kind of ['decision', 'preference'] as const) expect(areOne('use pnpm', 'Use pnpm.', kind)).toBe(true);
  });

  it('leave the pinned one, then the newest', () => {
    const [a, b, c] = [entry('a', 'x y', loose), entry('b', 'x y', daysLater(1)), entry('c', 'x y')];
    expect(mergesOf(a, b, c)).toEqual([['b', 'a c']]);
    expect(mergesOf(a, entry('b', 'x y', { ...loose, ...daysLater(1) }), c)).toEqual([['c', 'a b']]);
  });

  it('leave what a person wrote or restored, also beside a pinned one', () => {
    const person = entry('p', 'x y', persons);
    expect(mergesOf(person, entry('a', 'x y', daysLater(1)))).toEqual([['p', 'a']]);
    expect(mergesOf({ ...person, pinned: false }, entry('a', 'x y'), entry('b', 'x y', daysLater(1)))).toEqual([
      ['b', 'a'],
    ]);
    expect(mergesOf(person, entry('q', 'x y', persons), entry('r', 'x y', { stands: true }))).toEqual([]);
  });

  it('stay, if they are open threads or summaries of sessions', () => {
    for (const kind of ['open-thread', 'session-summary'] as const) expect(areOne('x y', 'x y', kind)).toBe(false);
  });
});

describe('entries that contradict each other', () => {
  it.each([
    ['use tabs', 'do not use tabs', 'fact'],
    ['the cache is enabled in CI', 'the cache is disabled in CI', 'fact'],
    ['retry 3 times', 'retry 5 times', 'decision'],
  ] as const)('are a question, and neither ends: %s', (a, b, kind) => {
    expect(questionsOf(a, b, kind)).toEqual(['They contradict each other.']);
    expect(questionsOf(b, a, kind)).toEqual(['They contradict each other.']);
    expect(planOf(entry('a', a, { kind }), entry('b', b, { kind }))).toMatchObject({ merges: [], pruned: [] });
  });

  it('are preferences with different values', () => {
    expect(questionsOf('answer in English', 'answer in German', 'preference')).toEqual([
      'They prefer different values.',
    ]);
    expect(questionsOf('answer in English', 'answer in German')).toEqual([]);
    expect(questionsOf('use pnpm for installs', 'write short commit messages', 'preference')).toEqual([]);
  });

  it('are asked about once for all that say the same, and stay beyond the bounds', () => {
    const many = Array.from({ length: 250 }, (_, n) => entry(`n${n}`, `decided ${n} of many`, loose));
    const old = { ...loose, createdAt: new Date(0) };
    const { questions, merges, pruned } = planOf(
      ...[entry('a', 'use tabs', old), entry('b', 'Use the tabs', old), entry('c', 'never use tabs', old), ...many],
    );
    expect(questions.filter(({ entries }) => entries.some(({ id }) => id === 'c'))).toHaveLength(1);
    expect(merges.map(({ into }) => into)).toEqual(['a']);
    expect(pruned.map(({ id }) => id)).not.toEqual(expect.arrayContaining(['a', 'c']));
  });
});

describe('the bound of what is loaded', () => {
  const many = (count: number, more: (n: number) => Partial<MergeableEntry>) =>
    Array.from({ length: count }, (_, n) => entry(`n${n}`, `word${n} ${'x'.repeat(40)}${n}`, { ...loose, ...more(n) }));

  it('ends the entries that were recalled longest ago, until 200 lines are left', () => {
    const entries = many(203, (n) => ({ kind: 'decision', lastRetrievedAt: new Date(AT.getTime() + n) }));
    const { pruned, after } = planOf(...entries);
    expect(pruned.map(({ id }) => id).sort()).toEqual(['n0', 'n1', 'n2']);
    expect(after.lines).toBe(200);
  });

  it('is in bytes too', () => {
    const entries = Array.from({ length: 150 }, (_, n) => entry(`n${n}`, `${n} ${'y'.repeat(280)}`, loose));
    const { pruned, after } = planOf(...entries);
    expect(pruned.length).toBeGreaterThan(0);
    expect(after.bytes).toBeLessThanOrEqual(BOUNDS.bytes);
  });

  it('leaves pinned entries, those of people, open threads and the five newest summaries', () => {
    const kept = [
      ...many(100, () => ({ pinned: true })),
      ...many(100, () => persons).map((one) => ({ ...one, id: `p${one.id}` })),
      ...many(100, () => ({ kind: 'open-thread' })).map((one) => ({ ...one, id: `o${one.id}` })),
    ];
    const summaries = many(7, (n) => ({ kind: 'session-summary', ...daysLater(n) })).map((one) => ({
      ...one,
      id: `s${one.id}`,
    }));
    expect(
      planOf(...kept, ...summaries)
        .pruned.map(({ id }) => id)
        .sort(),
    ).toEqual(['sn0', 'sn1']);
  });

  it('drops no statement for one that is pruned at once', () => {
    const old = { createdAt: new Date(0) };
    const entries = [
      entry('a', 'x y', { ...loose, ...old }),
      entry('b', 'X y.', { ...loose, ...old }),
      ...many(200, () => ({})),
    ];
    const { merges, pruned } = planOf(...entries);
    expect(merges).toEqual([]);
    expect(pruned.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });
});

describe('any entries', () => {
  const contents = ['use tabs', 'Use the tabs.', 'never use tabs', 'port 1', 'port 2', 'x in y', 'in y x', 'tests run'];
  const anyEntry = fc.record({
    content: fc.constantFrom(...contents),
    kind: fc.constantFrom('fact', 'decision', 'preference', 'session-summary', 'open-thread' as const),
    pinned: fc.boolean(),
    isPersons: fc.boolean(),
    isRestored: fc.boolean(),
    day: fc.nat(3),
    recalled: fc.nat(3),
  });
  const anyStore = fc.array(anyEntry, { maxLength: 14 }).map((given) =>
    given.map(({ content, kind, pinned, isPersons, isRestored, day, recalled }, n) =>
      entry(`e${n}`, content, {
        kind,
        pinned,
        isPersons,
        stands: isPersons || isRestored,
        ...daysLater(day),
        lastRetrievedAt: recalled === 0 ? null : new Date(AT.getTime() + recalled),
      }),
    ),
  );
  const bounds = fc.constantFrom(BOUNDS, { lines: 3, bytes: 1_000 }, { lines: 200, bytes: 30 });

  it('end for a live one of their kind or by the bound; nothing of a person and nothing pinned is lost', () => {
    fc.assert(
      fc.property(anyStore, bounds, (entries, bound) => {
        const plan = planned(entries, bound);
        const ended = [...plan.merges.flatMap(({ from }) => from), ...plan.pruned];
        expect(new Set(ended).size).toBe(ended.length);
        for (const one of ended) expect([one.isPersons, one.stands]).toEqual([false, false]);
        for (const one of plan.pruned) expect(one.pinned).toBe(false);
        for (const { base: into, from } of plan.merges)
          for (const one of from) {
            expect(ended).not.toContain(into);
            expect(into.kind).toBe(one.kind);
            if (one.pinned) expect(into.pinned).toBe(true);
          }
        for (const one of plan.questions.flatMap((question) => question.entries)) expect(ended).not.toContain(one);
        expect(unrepresented(entries, plan)).toEqual([]);
        expect(plan.before.lines - ended.length).toBe(plan.after.lines);
      }),
    );
  });

  it('give the same plan in any order, and nothing more to do afterwards', () => {
    fc.assert(
      fc.property(anyStore.chain(shuffled), bounds, ([entries, other], bound) => {
        const plan = planned(entries, bound);
        expect(planned(other, bound)).toEqual(plan);
        const ended = new Set([...plan.merges.flatMap(({ from }) => from), ...plan.pruned]);
        const rest = entries.filter((one) => !ended.has(one));
        expect(planned(rest, bound)).toMatchObject({
          merges: [],
          pruned: [],
        });
      }),
    );
  });
});
