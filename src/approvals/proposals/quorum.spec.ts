import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProposalKind, Risk } from './proposals.schema.js';
import { countVotes, isEnough, listedOwners, missingVotesMessage, quorumFor, withEditor } from './quorum.js';

const person = fc.constantFrom('a', 'b', 'c', 'd');
const people = fc.array(person, { maxLength: 8 });

describe('a quorum', () => {
  it('is higher from high risk on, and 1 for a retirement', () => {
    const settings = { approvalQuorum: 1, approvalQuorumHighRisk: 2 };
    expect(Risk.options.map((risk) => quorumFor('new_skill', risk, settings))).toEqual([1, 1, 2, 2]);
    expect(Risk.options.map((risk) => quorumFor('retire', risk, settings))).toEqual([1, 1, 1, 1]);
  });

  it('is at least 2 for an external edit, whose author is unknown', () => {
    const settings = { approvalQuorum: 1, approvalQuorumHighRisk: 3 };
    expect(Risk.options.map((risk) => quorumFor('amend', risk, settings, true))).toEqual([2, 2, 3, 3]);
    expect(Risk.options.map((risk) => quorumFor('retire', risk, settings, true))).toEqual([1, 1, 1, 1]);
  });

  it('is never lower for a higher risk', () => {
    const number = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...ProposalKind.options), number, number, (kind, approvalQuorum, high) => {
        const needed = Risk.options.map((r) => quorumFor(kind, r, { approvalQuorum, approvalQuorumHighRisk: high }));
        expect(needed).toEqual([...needed].sort((a, b) => a - b));
      }),
    );
  });

  it('is reached only by distinct people, at least one of whom neither wrote the proposal nor owns all of its agents', () => {
    const anybody = fc.option(person);
    fc.assert(
      fc.property(
        people,
        anybody,
        anybody,
        fc.integer({ min: 1, max: 4 }),
        (voters, editorId, sourceOwnerId, votesNeeded) => {
          const earlierEditorIds: string[] = [];
          const distinct = [...new Set(voters)];
          expect(isEnough(countVotes({ votesNeeded, editorId, earlierEditorIds, sourceOwnerId }, voters))).toBe(
            distinct.length >= votesNeeded &&
              distinct.some((voter) => voter !== editorId) &&
              distinct.some((voter) => voter !== sourceOwnerId),
          );
        },
      ),
    );
  });

  it('is not reached by an author alone, however often the proposal was edited', () => {
    const hands = fc.array(person, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(people, hands, (voters, editors) => {
        let proposal = { editorId: null as string | null, earlierEditorIds: [] as readonly string[] };
        for (const editor of editors) proposal = withEditor(proposal, editor);
        expect(new Set([proposal.editorId, ...proposal.earlierEditorIds])).toEqual(new Set(editors));
        expect(1 + proposal.earlierEditorIds.length).toBe(new Set(editors).size);
        const distinct = [...new Set(voters)];
        expect(isEnough(countVotes({ ...proposal, votesNeeded: 1, sourceOwnerId: null }, voters))).toBe(
          distinct.length > 1 || (distinct.length === 1 && !editors.includes(distinct[0] ?? 'a')),
        );
      }),
    );
  });

  it('names the owners of all agents only if it knows each of them', () => {
    const seen = (...owners: (string | null)[]) =>
      owners.map((owner, n) => ({ agent: `${n}`, owner, executions: 1, failures: 1 }));
    expect(listedOwners({ owners: 1, seenBy: seen('rita', 'rita') })).toEqual(['rita']);
    expect(listedOwners({ owners: 2, seenBy: seen('rita', 'r@x', 'rita') })).toEqual(['rita', 'r@x']);
    for (const seenBy of [seen(), seen(null), seen('rita', 'sven'), seen('rita', null)])
      expect(listedOwners({ owners: 1, seenBy })).toEqual([]);
    // More owners than the list can hold.
    expect(listedOwners({ owners: 2, seenBy: seen('rita', 'rita') })).toEqual([]);
  });

  it('explains to a single reviewer what to do', () => {
    expect(missingVotesMessage({ given: 1, needed: 2 }, 3)).toBe(
      'Your vote is recorded: 1 of 2. One more reviewer has to approve the same bytes.',
    );
    expect(missingVotesMessage({ given: 1, needed: 2 }, 1)).toMatch(/one active reviewer here: invite another one/);
  });
});
