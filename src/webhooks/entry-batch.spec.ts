import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChainEntry } from '../journal/chain.js';
import { entryLine, firstBatch, MAX_ENTRIES, messageId, messageOf } from './audit-file.service.js';

const entry = (seq: number, data: string): ChainEntry => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  actorKind: 'job',
  actorId: 'job:x',
  actorName: 'x',
  action: 'a.b',
  subjectType: 't',
  subjectId: 's',
  data,
  previousHash: 'p',
  hash: 'h',
});

describe('the entries of one message', () => {
  it('are the first ones, at least one, and bounded in number and length', () => {
    const journals = fc.array(fc.nat(400_000), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(journals, (lengths) => {
        const entries = lengths.map((length, index) => entry(index + 1, 'x'.repeat(length)));
        const batch = firstBatch(entries);
        const length = batch.map(entryLine).join('').length;
        expect(batch).toEqual(entries.slice(0, batch.length));
        expect(batch.length).toBeGreaterThanOrEqual(1);
        expect(batch.length).toBeLessThanOrEqual(MAX_ENTRIES);
        if (batch.length > 1) expect(length).toBeLessThanOrEqual(256 * 1_024);
        const next = entries[batch.length];
        if (next && batch.length < MAX_ENTRIES) expect(length + entryLine(next).length).toBeGreaterThan(256 * 1_024);
      }),
      { numRuns: 20 },
    );
  });

  it('have the same id and the same bytes whenever they are sent', () => {
    const entries = [entry(7, '{}'), entry(8, '{}')];
    expect(messageId('s', entries)).toBe('s.7-8');
    expect(messageOf('s', entries)).toBe(messageOf('s', structuredClone(entries)));
    expect(messageId('s', entries.slice(0, 1))).not.toBe(messageId('s', entries));
  });
});
