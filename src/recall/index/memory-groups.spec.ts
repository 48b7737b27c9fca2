import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import {
  type LiveMemory,
  type Reader,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { memoryTerms } from '../ranking/searchable-text.js';
import { queryTerms } from '../ranking/terms.js';
import { Bm25Index } from './bm25-index.js';
import { MemoryCache } from './memory-cache.js';
import { MemoryGroups } from './memory-groups.js';

const READERS: readonly Reader[] = [
  { agentId: 'ada', role: 'ci', department: null },
  { agentId: 'ben', role: 'ci', department: 'platform' },
  { agentId: 'eve', role: null, department: 'platform' },
];
const PAGE = 3;

const memoryOf = (n: number, words: string, owner: number): LiveMemory => {
  const scopes = [
    { scope: 'org', agentId: null, role: null, department: null },
    { scope: 'role', agentId: null, role: 'ci', department: null },
    { scope: 'department', agentId: null, role: null, department: 'platform' },
    ...READERS.map(({ agentId }) => ({ scope: 'agent', agentId, role: null, department: null }) as const),
  ] as const;
  const entry = memoryEntry({ id: `m${n}` });
  return { ...entry, ...(scopes[owner] ?? scopes[0]), lesson: { ...entry.lesson, discovery: words } };
};

/** The database: what is live, and the changes since the last refresh. Each page is read as of one moment. */
class Store {
  readonly live = new Map<string, LiveMemory>();
  private changes = new Set<string>();
  private refreshed: Promise<void> = Promise.resolve();
  reads = 0;

  write(memory: LiveMemory): void {
    this.live.set(memory.id, memory);
    this.changes.add(memory.id);
  }

  end(id: string): void {
    this.live.delete(id);
    this.changes.add(id);
  }

  async *all(group: string): AsyncGenerator<LiveMemory[]> {
    for (let after = ''; ; ) {
      await setImmediate();
      this.reads += 1;
      const page = [...this.live.values()]
        .filter((memory) => visibilityGroupOf(memory) === group && memory.id > after)
        .sort((x, y) => (x.id < y.id ? -1 : 1))
        .slice(0, PAGE);
      await setImmediate();
      yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = last.id;
    }
  }

  async some(group: string | undefined, ids: readonly string[]): Promise<LiveMemory[]> {
    await setImmediate();
    const found = ids.flatMap((id) => this.live.get(id) ?? []);
    await setImmediate();
    return group === undefined ? found : found.filter((memory) => visibilityGroupOf(memory) === group);
  }

  /** As `MemorySearch` applies changes: one refresh after another. */
  refresh(groups: MemoryGroups): Promise<void> {
    this.refreshed = this.refreshed.then(() => this.apply(groups));
    return this.refreshed;
  }

  private async apply(groups: MemoryGroups): Promise<void> {
    const changed = [...this.changes];
    this.changes = new Set();
    const read = changed.filter((id) => {
      const memory = this.live.get(id);
      return groups.noteChange(id, memory && visibilityGroupOf(memory));
    });
    const live = new Map((await this.some(undefined, read)).map((memory) => [memory.id, memory]));
    for (const id of read) {
      const memory = live.get(id);
      if (memory) groups.put(memory);
      else groups.remove(id);
    }
  }
}

function opened(mostBytes: number) {
  const store = new Store();
  const cache = new MemoryCache(20_000);
  const groups = new MemoryGroups(mostBytes, store, cache);
  const search = async (reader: Reader, query: string, during: () => void = () => undefined) => {
    const names = visibilityGroupsFor(reader);
    const unpin = groups.pin(names);
    await store.refresh(groups);
    while (!groups.use(names)) {
      const loads = groups.load(names);
      during();
      await loads;
      await store.refresh(groups);
    }
    const { hits } = groups.search(reader, query, 5);
    unpin();
    return {
      hits,
      seen: cache.pick(
        reader,
        hits.map(({ id }) => id),
      ).seen,
    };
  };
  const rebuilt = (reader: Reader, query: string) => {
    const index = new Bm25Index();
    for (const memory of store.live.values())
      index.add(memory.id, visibilityGroupOf(memory) ?? '', memoryTerms(memory));
    return index.search(queryTerms(query), visibilityGroupsFor(reader), 5).hits;
  };
  return { store, groups, search, rebuilt };
}

const words = fc.array(fc.constantFrom('deploy', 'fails', 'timeout', 'proxy', 'retry', 'certificate'), {
  minLength: 1,
  maxLength: 6,
});
const write = fc.record({ n: fc.nat({ max: 25 }), words, owner: fc.nat({ max: 5 }), ends: fc.boolean() });
const step = fc.record({
  writes: fc.array(write, { maxLength: 8 }),
  reader: fc.nat({ max: 2 }),
  query: words,
  during: fc.array(write, { maxLength: 4 }),
  forgets: fc.nat({ max: 9 }).map((n) => n === 0),
});

describe('indexes by visibility group', () => {
  it('find the same as one index of everything, whatever is written, loaded and evicted meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.constantFrom(0, 12_000, 1e9), async (steps, mostBytes) => {
        const { store, groups, search, rebuilt } = opened(mostBytes);
        const apply = (writes: (typeof steps)[number]['writes']) => {
          for (const { n, words: text, owner, ends } of writes)
            if (ends) store.end(`m${n}`);
            else store.write(memoryOf(n, text.join(' '), owner));
        };
        for (const { writes, reader: at, query, during, forgets } of steps) {
          const reader = READERS[at] ?? { agentId: 'ada', role: null, department: null };
          apply(writes);
          if (forgets) groups.reset();
          let left = during;
          // Written while the groups are read, and noted by a refresh that runs beside the load.
          const meanwhile = () => {
            apply(left);
            left = [];
            void store.refresh(groups);
          };
          const { hits, seen } = await search(reader, query.join(' '), meanwhile);
          expect(hits).toEqual(rebuilt(reader, query.join(' ')));
          for (const memory of seen) expect(memory.lesson).toEqual(store.live.get(memory.id)?.lesson);
          apply(left);
          await store.refresh(groups);
          expect((await search(reader, query.join(' '))).hits).toEqual(rebuilt(reader, query.join(' ')));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('evict the group that was not searched for the longest time, and none that a search uses', async () => {
    const { store, groups, search } = opened(12_000);
    for (const [n, owner] of [3, 4, 5].entries()) store.write(memoryOf(n, 'deploy fails', owner));
    for (const reader of READERS) expect((await search(reader, 'deploy')).hits).toHaveLength(1);
    expect(groups.names).toEqual(expect.arrayContaining(['agent:eve', 'org']));
    expect(groups.names).not.toContain('agent:ada');
    const unpin = groups.pin(['agent:ada', 'agent:ben', 'agent:eve']);
    await groups.load(['agent:ada', 'agent:ben']);
    expect(groups.names).toEqual(expect.arrayContaining(['agent:ada', 'agent:ben', 'agent:eve']));
    unpin();
    expect(groups.names).not.toContain('agent:eve');
  });

  it('read nothing for a change of a group that is not loaded', async () => {
    const { store, groups, search } = opened(1e9);
    await search({ agentId: 'ada', role: null, department: null }, 'deploy');
    const { reads } = store;
    for (let n = 0; n < 100; n++) store.write(memoryOf(n, 'deploy fails', 4));
    await store.refresh(groups);
    expect(store.reads).toBe(reads);
    expect(groups.size).toBe(0);
    expect(groups.names).not.toContain('agent:ben');
  });

  it('read a group once for all searches that wait for it', async () => {
    const { store, search } = opened(1e9);
    store.write(memoryOf(1, 'deploy fails', 3));
    const reader = { agentId: 'ada', role: null, department: null };
    const found = await Promise.all([1, 2, 3].map(() => search(reader, 'deploy')));
    expect(found.map(({ hits }) => hits.length)).toEqual([1, 1, 1]);
    expect(store.reads).toBe(2);
  });
});
