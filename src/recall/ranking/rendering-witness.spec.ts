import { describe, expect, it } from '@jest/globals';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { fieldsOf } from './rendering.js';

describe('the source of a recalled lesson', () => {
  it('says in how many executions it was seen, if in more than one', () => {
    expect(fieldsOf(memoryEntry({ witnessCount: 8 }))['source']).toContain('seen in 8 executions');
    expect(fieldsOf(memoryEntry({ witnessCount: 1 }))['source']).not.toContain('seen in');
  });
});
