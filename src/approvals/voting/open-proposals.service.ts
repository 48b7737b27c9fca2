import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { mayHaveRivals } from '../contradictions/contradiction.js';
import { ContradictionRepository } from '../contradictions/contradiction.repository.js';
import type { Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { requireFound } from '../proposals/proposal-summary.js';
import {
  type ProposalContext,
  type ReadRevision,
  requireOpen,
  requireReviewScope,
  staleError,
  staleness,
} from './open-proposal.js';

/** Items that can still be decided on, for whoever is about to write one. */
@Injectable()
export class OpenProposals {
  constructor(
    private readonly clock: Clock,
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /** Locks the item as `lock` does. Throws `forbidden` when this person does not decide for the agents it is about. */
  async lockInScope(tx: SqlClient, reviewer: ReviewerActor, id: string, seen: ReadRevision = {}): Promise<Proposal> {
    const proposal = await this.lockOpen(tx, id, seen);
    requireReviewScope(reviewer, proposal);
    return proposal;
  }

  /** Throws `conflict` when it was decided or has expired, or holds other bytes than were read. */
  async lockOpen(tx: SqlClient, id: string, seen: ReadRevision = {}): Promise<Proposal> {
    const proposal = requireFound(await this.proposals.lock(tx, id), id);
    requireOpen(proposal, seen, this.clock.now());
    return proposal;
  }

  /** Throws `conflict` when the item could not be applied as it is. */
  async requireCurrent(tx: SqlClient, proposal: Proposal): Promise<void> {
    await this.lockRivals(tx, [proposal]);
    const why = await this.staleness(tx, proposal);
    if (why !== undefined) throw staleError(why);
  }

  /** What the item was rendered against may have moved on: another version approved, or its target retired. */
  async staleness(tx: SqlClient, proposal: Proposal): Promise<string | undefined> {
    return staleness(proposal, (await this.contextOf(tx, [proposal]))(proposal));
  }

  /** Until the transaction ends, nobody else decides on what these contradict: of two that cannot both hold, one wins. */
  lockRivals(tx: SqlClient, proposals: readonly Proposal[]): Promise<void> {
    return this.contradictions.lockRivals(
      tx,
      proposals.filter(mayHaveRivals).map(({ id }) => id),
    );
  }

  /** What every one of the items is measured against, in two questions, and a third where one may have rivals. */
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
    return ({ id, skillName, supersedesId }) => ({
      versions: standings.get(skillName),
      target: supersedesId === null ? undefined : targets.get(supersedesId),
      rivals: rivals.get(id) ?? [],
    });
  }
}
