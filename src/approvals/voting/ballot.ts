import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Item } from '../proposals/approval-item.js';
import { existing } from '../proposals/approval-summary.js';
import { isEnough, tally } from '../proposals/quorum.js';
import {
  contested,
  moved,
  requireCurrent,
  requireOpen,
  requireRemit,
  type Seen,
  type Surroundings,
  stale,
} from './open-item.js';

/** A person's approval of an item. */
export interface Ballot {
  readonly id: string;
  readonly seen: Seen;
}

/** A vote that counts: `approvers` are those of this revision with its own person, the last one. */
export interface Vote {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly isEnough: boolean;
  /** Only where something is taken away. */
  readonly reason?: string;
}

/** An item as it stands locked. */
export interface Standing {
  readonly item: Item;
  readonly around: Surroundings;
  readonly approvers: readonly string[];
}

/** What came of one ballot: it is cast, or refused with what its person is told. */
export type Outcome = { readonly cast: Reviewed<Vote> } | { readonly refused: DomainError };

/** Throws `conflict` for a person's second vote on a revision. */
export function voteOn(reviewer: ReviewerActor, item: Item, before: readonly string[]): Reviewed<Vote> {
  if (before.includes(reviewer.id))
    throw new DomainError(
      'conflict',
      'approval.voted_already',
      'You approved this revision already. Somebody else has to, whichever credential you use.',
    );
  const approvers = [...before, reviewer.id];
  return { reviewer, item, approvers, isEnough: isEnough(tally(item, approvers)) };
}

/**
 * Ballots that are decided together, as if one after the other: what the first ones do is what the later ones find. The
 * same as each in a transaction of its own, in this order. One that is refused changes nothing for the others.
 */
export function weigh(
  ballots: readonly Reviewed<Ballot>[],
  standing: ReadonlyMap<string, Standing>,
  now: Date,
): Outcome[] {
  const items = new Map(standing);
  const changedSkills = new Set<string>();
  const approved = new Set<string>();
  return ballots.map(({ reviewer, id, seen }) => {
    try {
      const { item, around, approvers } = existing(items.get(id), id);
      requireOpen(item, seen, now);
      requireRemit(reviewer, item);
      const skills = [item.skillName, around.target?.skillName ?? item.skillName];
      if (skills.some((name) => changedSkills.has(name))) throw stale(moved(item));
      if (around.rivals.some((rival) => approved.has(rival.id))) throw stale(contested(item));
      requireCurrent(item, around);
      const vote = voteOn(reviewer, item, approvers);
      items.set(id, { item: vote.isEnough ? { ...item, state: 'approved' } : item, around, approvers: vote.approvers });
      if (vote.isEnough) {
        approved.add(id);
        for (const name of skills) changedSkills.add(name);
      }
      return { cast: vote };
    } catch (error) {
      if (error instanceof DomainError) return { refused: error };
      throw error;
    }
  });
}
