import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReviewScopePart } from '../../journal/actor.js';
import { type AgentGroup, groupName, reviewScopeCovers } from './review-scope.js';

const CI: AgentGroup = { department: 'platform', role: 'ci' };
const NOWHERE: AgentGroup = { department: null, role: null };

const word = fc.constantFrom('platform', 'sales', 'ci', 'docs');
const place = fc.record({ department: fc.option(word), role: fc.option(word) });
const part: fc.Arbitrary<ReviewScopePart> = fc
  .record({ department: word, role: word }, { requiredKeys: [] })
  .filter(({ department, role }) => department !== undefined || role !== undefined);

describe('a review scope', () => {
  it.each<[string, readonly ReviewScopePart[] | null, readonly AgentGroup[], boolean]>([
    ['of the whole organisation covers everything', null, [CI, NOWHERE], true],
    ['of the whole organisation covers an audience of all agents', null, [], true],
    ['of a department covers its agents of any role', [{ department: 'platform' }], [CI], true],
    ['of a role covers its agents of any department', [{ role: 'ci' }], [CI], true],
    ['of a role in a department covers both together', [{ department: 'platform', role: 'ci' }], [CI], true],
    ['of another role in it does not', [{ department: 'platform', role: 'docs' }], [CI], false],
    ['of another department does not', [{ department: 'sales' }], [CI], false],
    ['of two parts covers agents of both', [{ department: 'sales' }, { role: 'ci' }], [CI], true],
    ['covers no agent without a department', [{ department: 'platform' }], [CI, NOWHERE], false],
    ['does not cover an audience of all agents', [{ department: 'platform' }], [], false],
    ['without a part covers nothing', [], [CI], false],
    ['with an empty part covers nothing', [{}], [CI], false],
  ])('%s', (_says, reviewScope, audience, expected) => {
    expect(reviewScopeCovers(reviewScope, audience)).toBe(expected);
  });

  it('covers no less if widened, and a wider audience is covered no more', () => {
    fc.assert(
      fc.property(
        fc.array(part),
        part,
        fc.array(place, { minLength: 1 }),
        place,
        (reviewScope, more, audience, another) => {
          if (reviewScopeCovers(reviewScope, audience))
            expect(reviewScopeCovers([...reviewScope, more], audience)).toBe(true);
          if (reviewScopeCovers(reviewScope, [...audience, another]))
            expect(reviewScopeCovers(reviewScope, audience)).toBe(true);
        },
      ),
    );
  });

  it('has a name for people', () => {
    expect([CI, { department: 'sales' }, { role: 'ci' }, NOWHERE].map(groupName)).toEqual([
      'ci in platform',
      'sales',
      'ci',
      'agents without a department',
    ]);
  });
});
