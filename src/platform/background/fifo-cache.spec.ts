import { describe, expect, it } from '@jest/globals';
import { FifoCache } from './fifo-cache.js';

describe('FifoCache', () => {
  it('creates a value once, even if it is undefined, and evicts the oldest when full', () => {
    const asked: string[] = [];
    const cache = new FifoCache<string | undefined>(2);
    const ask = (key: string) =>
      cache.getOrCreate(key, () => {
        asked.push(key);
        return key === 'nothing' ? undefined : key.toUpperCase();
      });
    expect(['a', 'nothing', 'a', 'nothing'].map(ask)).toEqual(['A', undefined, 'A', undefined]);
    expect(asked).toEqual(['a', 'nothing']);
    expect(['b', 'nothing', 'a'].map(ask)).toEqual(['B', undefined, 'A']);
    expect(asked).toEqual(['a', 'nothing', 'b', 'a']);
  });

  it('evicts the oldest values until the total weight fits', () => {
    const cache = new FifoCache<string>(6, (value) => value.length);
    const kept = () => ['a', 'b', 'c', 'd'].map((key) => cache.get(key));
    for (const key of ['a', 'b', 'c']) cache.set(key, key.repeat(2));
    cache.set('a', 'again');
    expect(kept()).toEqual(['again', undefined, undefined, undefined]);
    cache.delete('a');
    for (const key of ['b', 'c', 'd']) cache.set(key, key.repeat(2));
    expect(kept()).toEqual([undefined, 'bb', 'cc', 'dd']);
    cache.set('a', 'aa');
    cache.set('b', 'larger than all');
    expect(kept()).toEqual([undefined, undefined, undefined, undefined]);
    cache.set('c', 'cc');
    expect(kept()).toEqual([undefined, undefined, 'cc', undefined]);
  });

  it('stays fast after many evictions and counts a key that is set again once', () => {
    const cache = new FifoCache<number>(1_000);
    for (let n = 0; n < 100_000; n += 1) cache.set(`${n % 5_000}`, n);
    const kept = Array.from({ length: 5_000 }, (_, n) => cache.get(`${n}`)).filter((value) => value !== undefined);
    expect(kept).toEqual(Array.from({ length: 1_000 }, (_, n) => 99_000 + n));
  });
});
