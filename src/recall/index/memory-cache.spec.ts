import { describe, expect, it } from '@jest/globals';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import type { LiveMemory } from '../../memory/store/recallable-memory.js';
import { MemoryCache } from './memory-cache.js';

const ADA = '00000000-0000-4000-8000-00000000000a';
const BEN = '00000000-0000-4000-8000-00000000000b';
const reader = { agentId: ADA, role: 'ci', department: 'platform' };

const memory = (id: string, more: Partial<LiveMemory> = {}): LiveMemory => ({
  ...memoryEntry({ id, agentId: ADA }),
  role: null,
  department: null,
  ...more,
});

function held(memories: readonly LiveMemory[], mostBytes = 1_000_000) {
  const all = new MemoryCache(mostBytes);
  for (const one of memories) all.put(one);
  return all;
}
const picked = (all: MemoryCache, ids: readonly string[]) => {
  const { seen, unknown } = all.pick(reader, ids);
  return { seen: seen.map(({ id }) => id), unknown };
};

describe('cached memories', () => {
  it('are visible only to their readers; for other readers they are neither returned nor read from the database', () => {
    const all = held([
      memory('own'),
      memory('of Ben', { agentId: BEN }),
      memory('of the role', { scope: 'role', agentId: null, role: 'ci' }),
      memory('of another role', { scope: 'role', agentId: null, role: 'docs' }),
      memory('of the department', { scope: 'department', agentId: null, department: 'platform' }),
      memory('of another department', { scope: 'department', agentId: null, department: 'sales' }),
      memory('of all', { scope: 'org', agentId: null }),
    ]);
    const ids = ['own', 'of Ben', 'of the role', 'of another role', 'of the department', 'of another department'];
    expect(picked(all, [...ids, 'of all', 'of nowhere'])).toEqual({
      seen: ['own', 'of the role', 'of the department', 'of all'],
      unknown: ['of nowhere'],
    });
  });

  it('do not include memories without readers: the database is asked, and returns them to no reader', () => {
    expect(picked(held([memory('lost', { agentId: null })]), ['lost'])).toEqual({ seen: [], unknown: ['lost'] });
  });

  it('follow each change of their text and of their readers', () => {
    const all = held([memory('one'), memory('one', { provenance: 'verified' })]);
    expect(all.pick(reader, ['one']).seen).toMatchObject([{ provenance: 'verified' }]);
    all.put(memory('one', { agentId: BEN }));
    expect(picked(all, ['one'])).toEqual({ seen: [], unknown: [] });
    all.remove('one');
    expect(picked(all, ['one'])).toEqual({ seen: [], unknown: ['one'] });
  });

  it('are evicted for newer ones when the cache is full, and then use no space', () => {
    const all = held(
      ['a', 'b', 'c'].map((id) => memory(id)),
      1_500,
    );
    expect(picked(all, ['a', 'b', 'c'])).toEqual({ seen: ['b', 'c'], unknown: ['a'] });
    all.remove('b');
    all.put(memory('d'));
    expect(picked(all, ['c', 'd'])).toEqual({ seen: ['c', 'd'], unknown: [] });
  });
});
