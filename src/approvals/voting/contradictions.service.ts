import { Injectable } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { proposalEntry, withoutEdit } from '../proposals/new-proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { neverLower } from '../proposals/risk.js';
import { ContradictionRepository } from './contradiction.repository.js';

/** Records contradictions between proposals. Both sides become conflicts, so that a person resolves them. */
@Injectable()
export class Contradictions {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly builder: ProposalBuilder,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * Records that the proposal contradicts these others. Each pending new skill among them becomes a conflict, as a
   * revision without votes, because its voters did not know of the contradiction; a person's wording is kept. Returns
   * whether the proposal itself became a conflict.
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
      const built = await this.builder.build(
        tx,
        proposal.id,
        { ...withoutEdit(proposal), kind: 'conflict' },
        proposal,
        proposal,
      );
      const content = neverLower(proposal, built);
      await this.proposals.reviseAsJob(tx, proposal, content, this.clock.now());
      const entry = proposalEntry('proposal.contradicted', proposal.id, content);
      const beside = proposal.id === proposalId ? rivals : [proposalId];
      await this.journal.append(tx, actor, { ...entry, data: { ...entry.data, beside } });
    }
    return isItself;
  }

  /** Copies the contradictions of a proposal to the one that reopens it. */
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
