import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../platform/base/canonical-json.js';
import { type ChainEntry, entryHash, findChainBreak, GENESIS } from './chain.js';

type Content = Omit<ChainEntry, 'seq' | 'previousHash' | 'hash'>;

const content: fc.Arbitrary<Content> = fc.record({
  at: fc
    .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2035-01-01T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  actorKind: fc.constantFrom('agent', 'reviewer', 'admin', 'job'),
  actorId: fc.string(),
  actorName: fc.string({ unit: 'binary' }),
  action: fc.string(),
  subjectType: fc.string(),
  subjectId: fc.string(),
  data: fc.jsonValue().map(canonicalJson),
});

function chainOf(contents: readonly Content[]): ChainEntry[] {
  const entries: ChainEntry[] = [];
  for (const entry of contents) {
    const unsigned = { ...entry, seq: entries.length + 1, previousHash: entries.at(-1)?.hash ?? GENESIS };
    entries.push({ ...unsigned, hash: entryHash(unsigned) });
  }
  return entries;
}

/** A chain and a position in it. */
const placed = fc
  .array(content, { minLength: 2, maxLength: 12 })
  .chain((contents) => fc.tuple(fc.constant(chainOf(contents)), fc.nat({ max: contents.length - 1 })));

const at = (entries: readonly ChainEntry[], index: number): ChainEntry => {
  const entry = entries[index];
  if (!entry) throw new Error(`there is no entry ${index}`);
  return entry;
};

const COLUMNS = [
  'at',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'subjectType',
  'subjectId',
  'data',
  'previousHash',
  'hash',
] as const;

describe('the chain of the journal', () => {
  it('is intact as written, from the start and from every entry', () => {
    fc.assert(
      fc.property(placed, ([entries, index]) => {
        expect(findChainBreak(entries)).toBeUndefined();
        expect(findChainBreak(entries.slice(index + 1), at(entries, index))).toBeUndefined();
      }),
    );
  });

  it.each(COLUMNS)('breaks at an entry with a changed %s', (column) => {
    fc.assert(
      fc.property(placed, fc.string({ minLength: 1 }), ([entries, index], other) => {
        const changed = entries.with(index, { ...at(entries, index), [column]: at(entries, index)[column] + other });
        expect(findChainBreak(changed)?.seq).toBe(index + 1);
      }),
    );
  });

  it('breaks after an entry that was changed and rehashed, because the next entry has the old hash', () => {
    fc.assert(
      fc.property(placed, ([entries, index]) => {
        fc.pre(index < entries.length - 1);
        const forged = { ...at(entries, index), actorName: `${at(entries, index).actorName}!` };
        const rehashed = entries.with(index, { ...forged, hash: entryHash(forged) });
        expect(findChainBreak(rehashed)).toEqual({
          seq: index + 2,
          reason: 'does not follow from the entry before it',
        });
      }),
    );
  });

  it('breaks at a missing entry, except at the end, which only the head reveals', () => {
    fc.assert(
      fc.property(placed, ([entries, index]) => {
        const without = entries.toSpliced(index, 1);
        const isLast = index === entries.length - 1;
        expect(findChainBreak(without)?.seq).toBe(isLast ? undefined : index + 1);
        expect(without.at(-1)?.hash).not.toBe(isLast ? entries.at(-1)?.hash : undefined);
      }),
    );
  });

  it('breaks where two entries were swapped or one was duplicated', () => {
    fc.assert(
      fc.property(placed, ([entries, index]) => {
        fc.pre(index < entries.length - 1);
        const [one, two] = [at(entries, index), at(entries, index + 1)];
        expect(findChainBreak(entries.with(index, two).with(index + 1, one))?.seq).toBe(index + 1);
        expect(findChainBreak(entries.toSpliced(index, 0, one))?.seq).toBe(index + 2);
        const renumbered = entries.with(index, { ...two, seq: one.seq }).with(index + 1, { ...one, seq: two.seq });
        expect(findChainBreak(renumbered)?.seq).toBe(index + 1);
      }),
    );
  });

  it('breaks at an inserted entry, even one with a valid hash', () => {
    fc.assert(
      fc.property(placed, content, ([entries, index], more) => {
        fc.pre(index < entries.length - 1);
        const before = at(entries, index);
        const unsigned = { ...more, seq: before.seq + 1, previousHash: before.hash };
        const inserted = { ...unsigned, hash: entryHash(unsigned) };
        const later = entries.slice(index + 1).map((entry) => ({ ...entry, seq: entry.seq + 1 }));
        expect(findChainBreak([...entries.slice(0, index + 1), inserted, ...later])?.seq).toBe(index + 3);
      }),
    );
  });

  it('breaks where a value changed its type but not its spelling', () => {
    const [entry] = chainOf([
      {
        at: '2026-03-01T10:00:00.000Z',
        actorKind: 'job',
        actorId: '7',
        actorName: 'job',
        action: 'test',
        subjectType: 'test',
        subjectId: 'null',
        data: '{"count":7}',
      },
    ]);
    if (!entry) throw new Error('no entry');
    // The types of the database driver are not checked at run time: 7 and "7" are two values there.
    const retyped = [{ actorId: 7 }, { subjectId: null }, { data: { count: 7 } }, { data: '{"count":"7"}' }];
    for (const change of retyped)
      expect(findChainBreak([{ ...entry, ...(change as unknown as Partial<ChainEntry>) }])?.seq).toBe(1);
    expect(findChainBreak([entry])).toBeUndefined();
  });

  it('distinguishes entries whose concatenated texts are equal', () => {
    const base = { seq: 1, at: '', actorKind: '', actorId: '', actorName: '', previousHash: GENESIS, data: '{}' };
    const one = entryHash({ ...base, action: 'ab', subjectType: 'c', subjectId: '' });
    expect(entryHash({ ...base, action: 'a', subjectType: 'bc', subjectId: '' })).not.toBe(one);
    expect(entryHash({ ...base, action: 'ab","subjectType":"c', subjectType: '', subjectId: '' })).not.toBe(one);
  });

  it('reports a journal without its beginning as broken', () => {
    fc.assert(
      fc.property(placed, ([entries, index]) => {
        fc.pre(index > 0);
        expect(findChainBreak(entries.slice(index))).toEqual({ seq: 1, reason: 'entry 1 is missing' });
      }),
    );
  });
});
