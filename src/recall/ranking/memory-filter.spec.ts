import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFilter, type Filterable, filterEntries } from './memory-filter.js';
import { FilterName } from './ranking-profile.schema.js';

const entries: fc.Arbitrary<Filterable[]> = fc.array(
  fc.record({
    controlTags: fc.subarray(['non-inferable', 'x', 'NON-INFERABLE', '']),
    provenance: fc.constantFrom('verified', 'unverified', 'unavailable_at_write_time'),
  }),
);

/** The contract of every filter. */
describe.each(FilterName.options)('the memory filter %s', (name) => {
  const filter = createFilter(name);

  it('has its name, and decides about each memory by itself, without changing it', () => {
    expect(filter.name).toBe(name);
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const before = structuredClone(a);
        const kept = (some: Filterable[]) => filterEntries(some, (entry) => filter.allows(entry)).kept;
        expect(kept([...a, ...b])).toEqual([...kept(a), ...kept(b)]);
        expect(kept(a)).toEqual(a.filter((entry) => filter.allows(entry)));
        expect(a).toEqual(before);
      }),
    );
  });

  it('fails closed: one memory that it cannot judge, and nothing is delivered', () => {
    const damaged: Filterable = {
      get controlTags(): string[] {
        throw new Error('damaged');
      },
      get provenance(): Filterable['provenance'] {
        throw new Error('damaged');
      },
    };
    const good: Filterable = { controlTags: ['non-inferable'], provenance: 'verified' };
    const { kept, warning } = filterEntries([good, damaged], (entry) => filter.allows(entry));
    // A filter that looks at nothing has nothing to fail at.
    if (name === 'none') expect([kept.length, warning]).toEqual([2, undefined]);
    else expect([kept, warning]).toEqual([[], 'The memory filter failed, so nothing is recalled.']);
  });
});

describe('the filters of the profile', () => {
  it('keep what no model infers, of that what is verified, or everything', () => {
    const tagged: Filterable = { controlTags: ['non-inferable', 'x'], provenance: 'unverified' };
    const verified: Filterable = { controlTags: ['non-inferable'], provenance: 'verified' };
    const inferable: Filterable = { controlTags: ['NON-INFERABLE'], provenance: 'verified' };
    const kept = (name: FilterName) =>
      [tagged, verified, inferable].filter((entry) => createFilter(name).allows(entry));
    expect(kept('non_inferable')).toEqual([tagged, verified]);
    expect(kept('verified')).toEqual([verified]);
    expect(kept('none')).toEqual([tagged, verified, inferable]);
  });
});
