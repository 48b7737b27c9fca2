import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { testProposalInput } from '../../../test/support/proposal-input.js';
import { asReviewer } from '../../access/identity/caller.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { buildProposal, sanitizeProposal } from '../proposals/new-proposal.js';
import type { Proposal } from '../proposals/proposal.js';
import { type ApprovalRequest, type Evaluation, evaluate, type LockedProposal } from './approval-request.js';

const NOW = new Date('2026-05-01T10:00:00.000Z');
const LATER = new Date('2026-05-02T10:00:00.000Z');
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const reviewer = (n: number) =>
  asReviewer({
    id: uuid(900 + n),
    kind: 'person',
    name: `Reviewer ${n}`,
    email: 'reviewer@example.org',
    reviewScope: null,
    credentialId: uuid(n),
    owner: null,
    role: null,
    department: null,
    isReviewer: true,
    isAdmin: false,
    scopes: ['decide'],
    expiresAt: null,
  });

/** A proposal of a new skill with this name and this number of needed votes. */
function standing(n: number, skillName: string, votesNeeded: number): LockedProposal {
  const submission = testProposalInput(`Skill ${n}`);
  const id = uuid(n);
  const content = buildProposal(id, submission, sanitizeProposal(submission), {
    skillName,
    version: 1,
    reach: 3,
    audience: [],
    sourceOwnerId: null,
    quorum: { approvalQuorum: 1, approvalQuorumHighRisk: 1 },
  });
  const proposal: Proposal = {
    ...content,
    id,
    votesNeeded,
    state: 'pending',
    revision: 1,
    fingerprint: `fingerprint ${n}`,
    request: null,
    reopenedFromId: null,
    cluster: id,
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: LATER,
    decidedAt: null,
  };
  return {
    proposal,
    context: { versions: undefined, target: undefined, rivals: [], hasLostKept: false },
    approvers: [],
  };
}

const requestOn = ({ proposal }: LockedProposal, by: number, seen: ApprovalRequest['seen'] = {}) => ({
  reviewer: reviewer(by),
  id: proposal.id,
  seen: { artifactSha256: proposal.artifactSha256, ...seen },
});
const known = (...standings: LockedProposal[]) => new Map(standings.map((one) => [one.proposal.id, one]));
const said = (outcome: Evaluation): string =>
  'refused' in outcome ? outcome.refused.code : outcome.cast.isEnough ? 'approved' : 'voted';

describe('approval requests that are evaluated together', () => {
  const one = standing(1, 'one', 1);
  const two = standing(2, 'two', 2);

  it('each vote for their own proposal', () => {
    expect(evaluate([requestOn(one, 1), requestOn(two, 1)], known(one, two), NOW).map(said)).toEqual([
      'approved',
      'voted',
    ]);
  });

  it('see the effects of earlier ones: one approves, the others are too late', () => {
    expect(
      evaluate(
        [1, 2, 3].map((by) => requestOn(one, by)),
        known(one),
        NOW,
      ).map(said),
    ).toEqual(['approved', 'proposal.already_decided', 'proposal.already_decided']);
  });

  it('approve one of two contradicting proposals', () => {
    const against = ({ proposal }: LockedProposal) => ({
      id: proposal.id,
      state: 'pending' as const,
      fingerprints: [],
      isByPerson: false,
      live: null,
    });
    const [first, other] = [standing(3, 'three', 1), standing(4, 'four', 1)];
    const contested = known(
      { ...first, context: { ...first.context, rivals: [against(other)] } },
      { ...other, context: { ...other.context, rivals: [against(first)] } },
    );
    expect(evaluate([requestOn(first, 1), requestOn(other, 2)], contested, NOW).map(said)).toEqual([
      'approved',
      'proposal.stale',
    ]);
    expect(evaluate([requestOn(other, 1), requestOn(first, 2)], contested, NOW).map(said)).toEqual([
      'approved',
      'proposal.stale',
    ]);
  });

  it('form a quorum together, in which one person counts once', () => {
    expect(
      evaluate(
        [1, 1, 2, 3].map((by) => requestOn(two, by)),
        known(two),
        NOW,
      ).map(said),
    ).toEqual(['voted', 'proposal.already_voted', 'approved', 'proposal.already_decided']);
  });

  it('are refused separately: for other bytes or another revision, or a missing or expired proposal', () => {
    const gone = { ...requestOn(one, 1), id: uuid(77) };
    const requests = [
      requestOn(one, 1, { artifactSha256: sha256('other bytes') }),
      requestOn(one, 1, { ifMatch: '"other"' }),
      gone,
      requestOn(two, 1),
    ];
    expect(evaluate(requests, known(one, two), NOW).map(said)).toEqual([
      'proposal.artifact_changed',
      'proposal.revision_mismatch',
      'proposal.not_found',
      'voted',
    ]);
    expect(evaluate([requestOn(one, 1)], known(one), LATER).map(said)).toEqual(['proposal.expired']);
  });

  it('approve no second proposal of a skill that one of them changes', () => {
    const [first, second] = [standing(1, 'same', 1), standing(2, 'same', 1)];
    const outcomes = evaluate([requestOn(first, 1), requestOn(second, 2)], known(first, second), NOW);
    expect(outcomes.map(said)).toEqual(['approved', 'proposal.stale']);
  });

  it('have the same results as one after the other, in any grouping', () => {
    const items = [standing(1, 'a', 1), standing(2, 'b', 2), standing(3, 'c', 3), standing(4, 'a', 1)];
    const request = fc.record({ proposal: fc.nat(3), by: fc.nat(3), isForged: fc.boolean() });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (drawn, size) => {
        const requests = drawn.flatMap(({ proposal, by, isForged }) => {
          const on = items[proposal];
          return on ? [requestOn(on, by, isForged ? { artifactSha256: sha256('forged') } : {})] : [];
        });
        const inGroupsOf = (most: number): string[] => {
          const stand = known(...items);
          const all: string[] = [];
          for (let at = 0; at < requests.length; at += most) {
            const outcomes = evaluate(requests.slice(at, at + most), stand, NOW);
            all.push(...outcomes.map(said));
            for (const outcome of outcomes) if ('cast' in outcome) apply(stand, outcome.cast);
          }
          return all;
        };
        expect(inGroupsOf(size)).toEqual(inGroupsOf(1));
      }),
      { numRuns: 60 },
    );
  });
});

/** The state of the database after a vote. */
function apply(
  stand: Map<string, LockedProposal>,
  { proposal, approvers, isEnough }: Extract<Evaluation, { cast: unknown }>['cast'],
) {
  const before = stand.get(proposal.id);
  if (!before) return;
  stand.set(proposal.id, { ...before, approvers, proposal: isEnough ? { ...proposal, state: 'approved' } : proposal });
  if (!isEnough) return;
  for (const [id, other] of stand)
    if (other.proposal.skillName === proposal.skillName)
      stand.set(id, {
        ...other,
        context: { ...other.context, versions: { live: { id: proposal.id, version: 1 }, last: 1 } },
      });
}
