import { describe, expect, it } from '@jest/globals';
import { newEntry } from './entry.js';
import { hitOf, passes, rankEntries } from './entry-search.js';
import type { SessionEntry } from './session-memory.schema.js';

const made = (content: string, tags: string[] = [], day = '15'): SessionEntry =>
  newEntry({ kind: 'fact', content, tags }, { at: `2026-05-${day}T08:00:00.000Z`, session: 's-1', project: 'shop' });
const found = (entries: readonly SessionEntry[], query: string, limit = 10): string[] =>
  rankEntries(entries, query, limit).map(({ content }) => content);

describe('the ranking of session entries', () => {
  it('puts the entry that is about the query first, not the one that mentions a frequent word often', () => {
    const entries = [
      made('the tests of the tests run tests'),
      made('compaction drops the results of tools'),
      made('tests for the login'),
    ];
    expect(found(entries, 'tests of compaction')[0]).toBe('compaction drops the results of tools');
  });

  it('finds other forms of a word, parts of names, and tags', () => {
    expect(found([made('renamed SafeSplitPoint'), made('other')], 'split')).toEqual(['renamed SafeSplitPoint']);
    expect(found([made('deploying on Friday'), made('other')], 'deploys')).toEqual(['deploying on Friday']);
    expect(found([made('one', ['compaction']), made('two')], 'compaction')).toEqual(['one']);
  });

  it('falls back to a part of a word', () => {
    expect(found([made('fixtures live in testdata'), made('other')], 'estdat')).toEqual(['fixtures live in testdata']);
    expect(found([made('one')], 'absent')).toEqual([]);
  });

  it('returns equal scores and empty queries newest first, an undated entry before all', () => {
    const { at: _, ...undated } = made('port by hand');
    const entries = [made('port one', [], '10'), undated, made('port two', [], '12')];
    expect(found(entries, '')).toEqual(['port by hand', 'port two', 'port one']);
    expect(
      found(
        [entries[0], entries[2]].flatMap((one) => one ?? []),
        'port',
        1,
      ),
    ).toEqual(['port two']);
  });

  it('filters by kind, tags and project, and takes an entry without a project as one of each', () => {
    const entry = made('x', ['a', 'b']);
    expect(passes(entry, { kinds: ['fact'], tags: ['c', 'b'], project: 'shop' })).toBe(true);
    expect([
      passes(entry, { kinds: ['decision'] }),
      passes(entry, { tags: ['c'] }),
      passes(entry, { project: 'bank' }),
    ]).toEqual([...[false, false, false]]);
    const { project: _, ...general } = entry;
    expect(passes(general, { project: 'bank' })).toBe(true);
  });

  it('says how old an entry is, in whole days', () => {
    const now = new Date('2026-05-17T07:59:00.000Z');
    expect(hitOf(made('x'), now, false)).toMatchObject({ ageDays: 1, summary: 'x' });
    expect(hitOf(made('x', [], '20'), now, true)).toMatchObject({ ageDays: 0, content: 'x' });
  });
});
