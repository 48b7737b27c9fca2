import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApprovalKind, Risk } from './approvals.schema.js';
import { isEnough, quorumFor, tally, whatIsMissing } from './quorum.js';

const person = fc.constantFrom('a', 'b', 'c', 'd');
const people = fc.array(person, { maxLength: 8 });

describe('a quorum', () => {
  it('is higher for high risk and above, and one where a skill is only taken away', () => {
    const settings = { approvalQuorum: 1, approvalQuorumHighRisk: 2 };
    expect(Risk.options.map((risk) => quorumFor('new_skill', risk, settings))).toEqual([1, 1, 2, 2]);
    expect(Risk.options.map((risk) => quorumFor('retire', risk, settings))).toEqual([1, 1, 1, 1]);
  });

  it('is two at least for what somebody changed by hand, since nobody knows who', () => {
    const settings = { approvalQuorum: 1, approvalQuorumHighRisk: 3 };
    expect(Risk.options.map((risk) => quorumFor('amend', risk, settings, true))).toEqual([2, 2, 3, 3]);
    expect(Risk.options.map((risk) => quorumFor('retire', risk, settings, true))).toEqual([1, 1, 1, 1]);
  });

  it('is never lower for a higher risk', () => {
    const number = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...ApprovalKind.options), number, number, (kind, approvalQuorum, high) => {
        const needed = Risk.options.map((r) => quorumFor(kind, r, { approvalQuorum, approvalQuorumHighRisk: high }));
        expect(needed).toEqual([...needed].sort((a, b) => a - b));
      }),
    );
  });

  it('is reached by distinct people only, one of whom did not write what they approve', () => {
    fc.assert(
      fc.property(people, fc.option(person), fc.integer({ min: 1, max: 4 }), (voters, editorId, votesNeeded) => {
        const distinct = new Set(voters);
        const others = [...distinct].filter((voter) => voter !== editorId);
        expect(isEnough(tally({ votesNeeded, editorId }, voters))).toBe(
          distinct.size >= votesNeeded && others.length > 0,
        );
      }),
    );
  });

  it('tells a person who is alone what to do', () => {
    expect(whatIsMissing({ given: 1, needed: 2 }, 3)).toBe(
      'Your vote is recorded: 1 of 2. One more reviewer has to approve the same bytes.',
    );
    expect(whatIsMissing({ given: 1, needed: 2 }, 1)).toMatch(/one active reviewer here: invite another one/);
  });
});
