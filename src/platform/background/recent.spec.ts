import { describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';

describe('Recent', () => {
  it('works an answer out once, also one that is undefined, and forgets the oldest when it is full', () => {
    const asked: string[] = [];
    const recent = new Recent<string | undefined>(2);
    const ask = (key: string) =>
      recent.of(key, () => {
        asked.push(key);
        return key === 'nothing' ? undefined : key.toUpperCase();
      });
    expect(['a', 'nothing', 'a', 'nothing'].map(ask)).toEqual(['A', undefined, 'A', undefined]);
    expect(asked).toEqual(['a', 'nothing']);
    expect(['b', 'nothing', 'a'].map(ask)).toEqual(['B', undefined, 'A']);
    expect(asked).toEqual(['a', 'nothing', 'b', 'a']);
  });
});
