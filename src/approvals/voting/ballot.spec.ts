import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { submissionOf } from '../../../test/support/submission.js';
import { asReviewer } from '../../access/identity/caller.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Item } from '../proposals/approval-item.js';
import { itemContent, makeSafe } from '../proposals/submission.js';
import { type Ballot, type Outcome, type Standing, weigh } from './ballot.js';

const NOW = new Date('2026-05-01T10:00:00.000Z');
const LATER = new Date('2026-05-02T10:00:00.000Z');
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const reviewer = (n: number) =>
  asReviewer({
    ...{ id: uuid(900 + n), kind: 'person', name: `Reviewer ${n}`, email: 'reviewer@example.org', remit: null },
    ...{
      owner: null,
      role: null,
      department: null,
      isReviewer: true,
      isAdmin: false,
      scopes: ['decide'],
      expiresAt: null,
    },
  });

/** A new skill of that name which so many people have to approve. */
function standing(n: number, skillName: string, votesNeeded: number): Standing {
  const submission = submissionOf(`Skill ${n}`);
  const id = uuid(n);
  const content = itemContent(id, submission, makeSafe(submission), {
    ...{ skillName, version: 1, reach: 3, audience: [], sourceOwnerId: null },
    quorum: { approvalQuorum: 1, approvalQuorumHighRisk: 1 },
  });
  const item: Item = {
    ...{ ...content, id, votesNeeded, state: 'pending', revision: 1, fingerprint: `fingerprint ${n}`, request: null },
    ...{ reopenedFromId: null, cluster: id, createdAt: NOW, updatedAt: NOW, expiresAt: LATER, decidedAt: null },
  };
  return { item, around: { standing: undefined, target: undefined, rivals: [] }, approvers: [] };
}

const ballotOn = ({ item }: Standing, by: number, seen: Ballot['seen'] = {}) => ({
  ...{ reviewer: reviewer(by), id: item.id },
  seen: { artifactSha256: item.artifactSha256, ...seen },
});
const known = (...standings: Standing[]) => new Map(standings.map((one) => [one.item.id, one]));
const said = (outcome: Outcome): string =>
  'refused' in outcome ? outcome.refused.code : outcome.cast.isEnough ? 'approved' : 'voted';

describe('ballots that are weighed together', () => {
  const one = standing(1, 'one', 1);
  const two = standing(2, 'two', 2);

  it('are each cast on their own item', () => {
    expect(weigh([ballotOn(one, 1), ballotOn(two, 1)], known(one, two), NOW).map(said)).toEqual(['approved', 'voted']);
  });

  it('find what the earlier ones did: one approves, the others come too late', () => {
    expect(
      weigh(
        [1, 2, 3].map((by) => ballotOn(one, by)),
        known(one),
        NOW,
      ).map(said),
    ).toEqual(['approved', 'approval.already_decided', 'approval.already_decided']);
  });

  it('approve one of two that cannot both hold', () => {
    const against = ({ item }: Standing) => ({
      ...{ id: item.id, state: 'pending' as const, fingerprints: [], isByPerson: false, live: null },
    });
    const [first, other] = [standing(3, 'three', 1), standing(4, 'four', 1)];
    const contested = known(
      { ...first, around: { ...first.around, rivals: [against(other)] } },
      { ...other, around: { ...other.around, rivals: [against(first)] } },
    );
    expect(weigh([ballotOn(first, 1), ballotOn(other, 2)], contested, NOW).map(said)).toEqual([
      'approved',
      'approval.stale',
    ]);
    expect(weigh([ballotOn(other, 1), ballotOn(first, 2)], contested, NOW).map(said)).toEqual([
      'approved',
      'approval.stale',
    ]);
  });

  it('make up a quorum among them, for which one person counts once', () => {
    expect(
      weigh(
        [1, 1, 2, 3].map((by) => ballotOn(two, by)),
        known(two),
        NOW,
      ).map(said),
    ).toEqual(['voted', 'approval.voted_already', 'approved', 'approval.already_decided']);
  });

  it('are refused one by one: for other bytes, for another revision, for an item that is not there or has expired', () => {
    const gone = { ...ballotOn(one, 1), id: uuid(77) };
    const ballots = [
      ballotOn(one, 1, { artifactSha256: sha256('other bytes') }),
      ballotOn(one, 1, { ifMatch: '"other"' }),
      gone,
      ballotOn(two, 1),
    ];
    expect(weigh(ballots, known(one, two), NOW).map(said)).toEqual([
      'approval.artifact_changed',
      'approval.not_matched',
      'approval.not_found',
      'voted',
    ]);
    expect(weigh([ballotOn(one, 1)], known(one), LATER).map(said)).toEqual(['approval.expired']);
  });

  it('approve no second item of a skill that one of them changes', () => {
    const [first, second] = [standing(1, 'same', 1), standing(2, 'same', 1)];
    const outcomes = weigh([ballotOn(first, 1), ballotOn(second, 2)], known(first, second), NOW);
    expect(outcomes.map(said)).toEqual(['approved', 'approval.stale']);
  });

  it('come out as they would one after the other, in whatever groups they are taken', () => {
    const items = [standing(1, 'a', 1), standing(2, 'b', 2), standing(3, 'c', 3), standing(4, 'a', 1)];
    const ballot = fc.record({ item: fc.nat(3), by: fc.nat(3), isForged: fc.boolean() });
    fc.assert(
      fc.property(fc.array(ballot, { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (drawn, size) => {
        const ballots = drawn.flatMap(({ item, by, isForged }) => {
          const on = items[item];
          return on ? [ballotOn(on, by, isForged ? { artifactSha256: sha256('forged') } : {})] : [];
        });
        const inGroupsOf = (most: number): string[] => {
          const stand = known(...items);
          const all: string[] = [];
          for (let at = 0; at < ballots.length; at += most) {
            const outcomes = weigh(ballots.slice(at, at + most), stand, NOW);
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

/** What the database holds after a vote. */
function apply(
  stand: Map<string, Standing>,
  { item, approvers, isEnough }: Extract<Outcome, { cast: unknown }>['cast'],
) {
  const before = stand.get(item.id);
  if (!before) return;
  stand.set(item.id, { ...before, approvers, item: isEnough ? { ...item, state: 'approved' } : item });
  if (!isEnough) return;
  for (const [id, other] of stand)
    if (other.item.skillName === item.skillName)
      stand.set(id, {
        ...other,
        around: { ...other.around, standing: { live: { id: item.id, version: 1 }, last: 1 } },
      });
}
