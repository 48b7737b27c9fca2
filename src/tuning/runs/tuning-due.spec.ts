import { describe, expect, it } from '@jest/globals';
import { dueKind } from './tuning-due.js';

const schedule = { mode: 'base_and_adapter', minDocuments: 200, growth: 1 / 3 } as const;
const now = { documents: 400, pairs: 90 };

describe('the schedule of tuning runs', () => {
  it('does nothing while it is off or memory is small', () => {
    expect(dueKind(now, {}, { ...schedule, mode: 'off' })).toBeUndefined();
    expect(dueKind({ documents: 199, pairs: 90 }, {}, schedule)).toBeUndefined();
  });

  it('fits a base at first, and again when memory has grown by a third', () => {
    expect(dueKind(now, {}, { ...schedule, mode: 'base' })).toBe('base');
    const last = { base: { documents: 301, pairs: 0 } };
    expect(dueKind(now, last, { ...schedule, mode: 'base' })).toBeUndefined();
    expect(dueKind({ documents: 402, pairs: 0 }, last, { ...schedule, mode: 'base' })).toBe('base');
  });

  it('trains a map of queries after the base, and again when the pairs have grown', () => {
    const base = { documents: 400, pairs: 10 };
    expect(dueKind(now, { base }, schedule)).toBe('adapter');
    expect(dueKind(now, { base, adapter: { documents: 400, pairs: 80 } }, schedule)).toBeUndefined();
    expect(dueKind({ documents: 400, pairs: 0 }, { base }, schedule)).toBeUndefined();
  });
});
