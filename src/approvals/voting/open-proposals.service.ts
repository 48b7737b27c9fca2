import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { requireFound } from '../proposals/proposal-summary.js';
import { keptSkill } from '../proposals/retirement.js';
import { mayHaveRivals } from './contradiction.js';
import { ContradictionRepository } from './contradiction.repository.js';
import {
  type ProposalContext,
  type ReadRevision,
  requireOpen,
  requireReviewScope,
  staleError,
  staleness,
} from './open-proposal.js';
import { VoteRequirements } from './vote-requirements.service.js';

/** Locks undecided proposals for a decision and reads their context. */
@Injectable()
export class OpenProposals {
  constructor(
    private readonly clock: Clock,
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
    private readonly contradictions: ContradictionRepository,
    private readonly requirements: VoteRequirements,
  ) {}

  /** `lockOpen`, but throws `forbidden` if the proposal is outside the reviewer's scope. */
  async lockInScope(tx: SqlClient, reviewer: ReviewerActor, id: string, seen: ReadRevision = {}): Promise<Proposal> {
    const proposal = await this.lockOpen(tx, id, seen);
    requireReviewScope(reviewer, proposal);
    return proposal;
  }

  /**
   * Locks the proposal. Throws `conflict` if it is decided, has expired, or contains other bytes than the person read.
   */
  async lockOpen(tx: SqlClient, id: string, seen: ReadRevision = {}): Promise<Proposal> {
    const locked = requireFound(await this.proposals.lock(tx, id), id);
    const [proposal] = await this.requirements.apply(tx, [locked]);
    if (!proposal) throw new Error('a locked proposal has no requirements');
    requireOpen(proposal, seen, this.clock.now());
    return proposal;
  }

  /** Throws `conflict` if the proposal cannot be applied. */
  async requireCurrent(tx: SqlClient, proposal: Proposal): Promise<void> {
    await this.lockRivals(tx, [proposal]);
    const why = await this.staleness(tx, proposal);
    if (why !== undefined) throw staleError(why);
  }

  /** Why the proposal cannot be applied; undefined if it can. */
  async staleness(tx: SqlClient, proposal: Proposal): Promise<string | undefined> {
    return staleness(proposal, (await this.contextOf(tx, [proposal]))(proposal));
  }

  /**
   * Locks until the transaction ends: rivals, so that only one of two contradicting proposals is approved, and the skills
   * that merges keep, so that none of them is retired at the same time.
   */
  async lockRivals(tx: SqlClient, proposals: readonly Proposal[]): Promise<void> {
    await this.contradictions.lockRivals(
      tx,
      proposals.filter(mayHaveRivals).map(({ id }) => id),
    );
    await this.org.lock(keptIdsOf(proposals), tx);
  }

  /** Reads the context of all proposals in two queries, one more if any may have rivals, and one more for merges. */
  async contextOf(tx: SqlClient, proposals: readonly Proposal[]): Promise<(proposal: Proposal) => ProposalContext> {
    const standings = await this.org.skillVersions([...new Set(proposals.map(({ skillName }) => skillName))], tx);
    const targets = await this.org.findAll(
      [...new Set(proposals.flatMap(({ supersedesId }) => supersedesId ?? []))],
      tx,
    );
    const rivals = await this.contradictions.rivals(
      tx,
      proposals.filter(mayHaveRivals).map(({ id }) => id),
    );
    const kept = await this.org.findAll(keptIdsOf(proposals), tx);
    return (proposal) => {
      const { id, skillName, supersedesId } = proposal;
      const keep = keptSkill(proposal);
      return {
        versions: standings.get(skillName),
        target: supersedesId === null ? undefined : targets.get(supersedesId),
        rivals: rivals.get(id) ?? [],
        hasLostKept: keep !== undefined && kept.get(keep.memoryId)?.supersededAt !== null,
      };
    };
  }
}

const keptIdsOf = (proposals: readonly Proposal[]): string[] =>
  proposals.flatMap((proposal) => keptSkill(proposal)?.memoryId ?? []);
