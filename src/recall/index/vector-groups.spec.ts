import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toLengthOne } from '../embedding/embedder.js';
import { type VectorEntry, VectorGroups } from './vector-groups.js';
import { VectorIndex } from './vector-index.js';

const GROUPS = ['agent:ada', 'agent:ben', 'org'];
const DIMENSIONS = 3;

interface Memory {
  readonly group: string;
  readonly vector: Float32Array;
  /** Another process embeds it later than it is written. */
  isStored: boolean;
}

/** The database: what is live, which vectors are stored, and the changes since the last refresh. */
class Store {
  readonly live = new Map<string, Memory>();
  private changes = new Set<string>();

  write(id: string, group: string, direction: readonly number[]): void {
    this.live.set(id, { group, vector: toLengthOne(Float32Array.from([...direction, 1])), isStored: false });
    this.changes.add(id);
  }

  end(id: string): void {
    this.live.delete(id);
    this.changes.add(id);
  }

  embed(): void {
    for (const memory of this.live.values()) memory.isStored = true;
  }

  entries(ids: Iterable<string>): VectorEntry[] {
    return [...ids].flatMap((id) => {
      const memory = this.live.get(id);
      return memory ? [{ id, group: memory.group, vector: memory.isStored ? memory.vector : undefined }] : [];
    });
  }

  async read(ids: Iterable<string>): Promise<VectorEntry[]> {
    await setImmediate();
    const found = this.entries(ids);
    await setImmediate();
    return found;
  }

  async *all(group: string): AsyncGenerator<VectorEntry[]> {
    for (const id of [...this.live.keys()].sort())
      yield (await this.read([id])).filter((entry) => entry.group === group);
  }

  async some(group: string, ids: readonly string[]): Promise<VectorEntry[]> {
    return (await this.read(ids)).filter((entry) => entry.group === group);
  }

  refresh(groups: VectorGroups): void {
    const changed = this.changes;
    this.changes = new Set();
    for (const id of changed) groups.noteChange(id, this.live.get(id)?.group);
  }
}

const direction = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 2, maxLength: 2 });
const write = fc.record({ n: fc.nat({ max: 9 }), group: fc.constantFrom(...GROUPS), direction, ends: fc.boolean() });
const step = fc.record({
  writes: fc.array(write, { maxLength: 5 }),
  asked: fc.subarray(GROUPS, { minLength: 1 }),
  during: fc.array(write, { maxLength: 3 }),
  embeds: fc.boolean(),
  forgets: fc.nat({ max: 9 }).map((n) => n === 0),
});

async function load(groups: VectorGroups, asked: readonly string[], during: () => void = () => undefined) {
  while (!groups.use(asked)) {
    const loads = groups.load(asked);
    during();
    await loads;
  }
}

describe('vectors by visibility group', () => {
  it('find the same as one index of everything, whatever is written, embedded, loaded and evicted meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 10 }),
        direction,
        fc.constantFrom(0, 1_500, 1e9),
        async (steps, asks, mostBytes) => {
          const store = new Store();
          const groups = new VectorGroups(DIMENSIONS, mostBytes, store);
          const query = toLengthOne(Float32Array.from([...asks, 1]));
          const apply = (writes: (typeof steps)[number]['writes']) => {
            for (const { n, group, direction: to, ends } of writes)
              if (ends) store.end(`m${n}`);
              else store.write(`m${n}`, group, to);
          };
          for (const { writes, asked, during, embeds, forgets } of steps) {
            apply(writes);
            if (forgets) groups.reset();
            const unpin = groups.pin(asked);
            let left = during;
            const meanwhile = () => {
              apply(left);
              left = [];
              store.refresh(groups);
            };
            store.refresh(groups);
            await load(groups, asked, meanwhile);
            if (embeds) store.embed();
            store.refresh(groups);
            groups.expect();
            // Written while memories are read again.
            const reading = groups.readAgain(100, (ids) => store.read(ids));
            meanwhile();
            await reading;
            while (await groups.readAgain(2, (ids) => store.read(ids)));
            const all = store.entries(store.live.keys());
            const rebuilt = new VectorIndex(DIMENSIONS);
            for (const { id, group, vector } of all) if (vector) rebuilt.put(id, group, vector);
            expect(groups.index.search(query, asked, 5, -1)).toEqual(rebuilt.search(query, asked, 5, -1));
            expect(groups.missingIn(asked)).toBe(
              all.filter(({ group, vector }) => asked.includes(group) && !vector).length,
            );
            unpin();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('hold nothing of a group that was not searched, nor of an evicted one', async () => {
    const store = new Store();
    const groups = new VectorGroups(DIMENSIONS, 700, store);
    for (const [n, group] of GROUPS.entries()) store.write(`m${n}`, group, [n, 1]);
    store.embed();
    store.refresh(groups);
    expect(groups.index.size).toBe(0);
    for (const group of GROUPS) await load(groups, [group]);
    expect(groups.names).toEqual(['org']);
    expect(groups.index.size).toBe(1);
  });
});
