import { Injectable } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { proposalEntry, withoutEdit } from '../proposals/new-proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { ContradictionRepository } from './contradiction.repository.js';

/** What contradicts something that waits is no skill of its own, on either side: both are put to people as a conflict (E2). */
@Injectable()
export class Contradictions {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly contents: ProposalBuilder,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * Records that the item cannot hold beside these others, which know of it from now on. Whichever of them is a new skill
   * becomes a conflict, as a revision without votes, since nobody voted with this in view; a person's wording is kept.
   * Whether the item itself did.
   */
  async record(tx: Tx, actor: Actor, proposalId: string, others: readonly string[]): Promise<boolean> {
    if (others.length === 0) return false;
    const known = new Set((await this.contradictions.rivals(tx, [proposalId])).get(proposalId)?.map(({ id }) => id));
    const found = others.filter((id) => id !== proposalId && !known.has(id));
    const all = await this.proposals.lockAll(tx, [proposalId, ...found]);
    const rivals = found.filter((id) => all.has(id));
    if (rivals.length === 0) return false;
    await this.contradictions.add(tx, proposalId, rivals);
    let isItself = false;
    for (const proposal of all.values()) {
      if (proposal.state !== 'pending' || proposal.kind !== 'new_skill') continue;
      isItself ||= proposal.id === proposalId;
      const content = await this.contents.build(
        tx,
        proposal.id,
        { ...withoutEdit(proposal), kind: 'conflict' },
        proposal,
        proposal,
      );
      await this.proposals.revise(tx, proposal, content, this.clock.now());
      const entry = proposalEntry('proposal.contradicted', proposal.id, content);
      const beside = proposal.id === proposalId ? rivals : [proposalId];
      await this.journal.append(tx, actor, { ...entry, data: { ...entry.data, beside } });
    }
    return isItself;
  }

  /** What contradicts an item contradicts it again when it is asked again. */
  async inherit(tx: Tx, actor: Actor, from: string, to: string): Promise<void> {
    const rivals = (await this.contradictions.rivals(tx, [from])).get(from) ?? [];
    await this.record(
      tx,
      actor,
      to,
      rivals.map(({ id }) => id),
    );
  }
}
