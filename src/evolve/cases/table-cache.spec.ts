import { describe, expect, it } from '@jest/globals';
import { readFromMemory } from '../../../test/support/cycles.js';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import type { ReportedExecution } from '../evidence/recorded-execution.js';
import { TableCache } from './table-cache.js';

/** Executions with so many calls each, and a cache that notes which of them are read. */
function windowOf(of: number, calls: number) {
  const stored = observedWork([{ of, calls: Array.from({ length: calls }, () => run('ls')) }]);
  const known = new Map(
    stored.map((one): [string, ReportedExecution] => [one.id, { observed: observe(one), report: one.report }]),
  );
  const [cache, asked]: [TableCache, string[]] = [new TableCache(), []];
  const read = (...ids: string[]): string[] => {
    asked.length = 0;
    const tables = readFromMemory(cache.read(ids), (id) => {
      asked.push(id);
      return known.get(id);
    });
    return tables.map(({ id }) => id);
  };
  return { read, asked, ids: [...known.keys()] };
}

describe('the tables of a cycle', () => {
  it('are made once for an execution of several families', () => {
    const { read, asked } = windowOf(4, 2);
    expect(read('e-0-0', 'e-0-1')).toEqual(['e-0-0', 'e-0-1']);
    expect(read('e-0-1', 'e-0-2')).toEqual(['e-0-1', 'e-0-2']);
    expect(asked).toEqual(['e-0-2']);
  });

  it('come in the order of their ids, without executions that are gone', () => {
    const { read, ids } = windowOf(100, 1);
    const turned = [...ids].reverse();
    expect(read(...turned, 'e-gone')).toEqual([...ids].sort());
    expect(read('e-gone')).toEqual([]);
  });

  it('are dropped again, the oldest first, before long reports fill the memory', () => {
    const { read, asked, ids } = windowOf(4, 25_000);
    const [first = '', second = '', third = ''] = ids;
    for (const id of [first, second, third]) expect(read(id)).toEqual([id]);
    read(third);
    expect(asked).toEqual([]);
    read(first);
    expect(asked).toEqual([first]);
  });

  it('are no more than a reading may hold, however long the reports are', () => {
    const { read, ids } = windowOf(6, 30_000);
    expect(read(...ids)).toHaveLength(4);
  });
});
