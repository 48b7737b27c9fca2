import { describe, expect, it } from '@jest/globals';
import { memoryEntry } from '../../test/support/memory-entries.js';
import type { Found } from './finding.js';
import { bytesOf, type RecollectionOptions, recollect } from './recollection.js';
import { NOTHING_TOLD } from './session-told.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const OPTIONS: RecollectionOptions = {
  agentId: 'me',
  now: NOW,
  weights: { words: 1, vectors: 1 },
  minRelevance: 0.3,
  told: NOTHING_TOLD,
  warnings: [],
  handedIn: [],
  tokenBudget: 10_000,
  limit: 10,
  diversify: false,
  role: 'user',
  nonce: '0123456789abcdef0123456789abcdef',
  keeps: () => true,
};
const found = (id: string, relevance: number): Found => ({
  entry: memoryEntry({ id, createdAt: '2026-01-01T00:00:00.000Z', scope: 'AGENT', agentId: 'somebody' }),
  places: { words: { place: 1, relevance } },
});
const [A, B, C] = [found('a', 0.9), found('b', 0.6), found('c', 0.5)];
const idsOf = (options: Partial<RecollectionOptions>) => {
  const { told, leftOut } = recollect([A, B, C], { ...OPTIONS, ...options });
  return [told.map(({ entry }) => entry.id), leftOut.map(({ entry, because }) => [entry.id, because])];
};

describe('what is told of what was found', () => {
  it('is what reaches the threshold that is set', () => {
    expect(idsOf({})).toEqual([['a', 'b', 'c'], []]);
    expect(idsOf({ minRelevance: 0.4 })).toEqual([['a', 'b'], [['c', 'below_threshold']]]);
  });

  it('leaves out what the session knows, in favour of what it does not', () => {
    const told = { ids: new Set(['a']), bytesLeft: Number.POSITIVE_INFINITY };
    expect(idsOf({ told, limit: 1 })).toEqual([
      ['b'],
      [
        ['a', 'told_before'],
        ['c', 'beyond_limit'],
      ],
    ]);
  });

  it('ends with the bytes that the session may still be told, the framing included', () => {
    const two = bytesOf(recollect([A, B], OPTIONS).messages);
    expect(idsOf({ told: { ids: new Set(), bytesLeft: two } })).toEqual([['a', 'b'], [['c', 'session_full']]]);
    const { messages } = recollect([A, B], { ...OPTIONS, told: { ids: new Set(), bytesLeft: 0 } });
    expect(messages).toEqual([]);
  });
});
