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

describe('memories that are held', () => {
  it('are seen by whom they are for, and are neither told nor asked the database for on behalf of others', () => {
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

  it('that belong to nobody are not held: the database is asked, and shows them to nobody', () => {
    expect(picked(held([memory('lost', { agentId: null })]), ['lost'])).toEqual({ seen: [], unknown: ['lost'] });
  });

  it('that change are told as they are now, and to whom they are for now', () => {
    const all = held([memory('one'), memory('one', { provenance: 'verified' })]);
    expect(all.pick(reader, ['one']).seen).toMatchObject([{ provenance: 'verified' }]);
    all.put(memory('one', { agentId: BEN }));
    expect(picked(all, ['one'])).toEqual({ seen: [], unknown: [] });
    all.remove('one');
    expect(picked(all, ['one'])).toEqual({ seen: [], unknown: ['one'] });
  });

  it('give way to newer ones where there is no room, and count for nothing once they are gone', () => {
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
