import { describe, expect, it } from '@jest/globals';
import { entityTag, matches } from './proposal.js';

const proposal = { revision: 2, state: 'pending', artifactSha256: 'abc' } as const;

describe('the entity tag of a proposal', () => {
  it('differs for another revision, state or file', () => {
    const others = [{ revision: 3 }, { state: 'approved' as const }, { artifactSha256: 'abd' }];
    const tags = [proposal, ...others.map((other) => ({ ...proposal, ...other }))].map(entityTag);
    expect(new Set(tags).size).toBe(4);
  });

  it('matches itself, also in a list, and a star; a weak tag does not match', () => {
    const tag = entityTag(proposal);
    for (const ifMatch of [tag, `"other", ${tag}`, '*']) expect(matches(ifMatch, tag)).toBe(true);
    for (const ifMatch of [`W/${tag}`, '', '"other"', tag.slice(1, -1)]) expect(matches(ifMatch, tag)).toBe(false);
  });
});
