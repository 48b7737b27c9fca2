import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { proposalEntry, rebasedTarget, withoutEdit } from '../proposals/new-proposal.js';
import type { Proposal, ProposalContent } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { ProposalWithdrawer } from '../queue/proposal-withdrawer.service.js';
import { type ContradictionStatus, contradictionStatus } from '../voting/contradiction.js';
import { ContradictionRepository } from '../voting/contradiction.repository.js';
import { staleness } from '../voting/open-proposal.js';
import { OpenProposals } from '../voting/open-proposals.service.js';

/** Proposals rendered at once, in about 10 ms; between two batches the process can answer requests. */
const BATCH_SIZE = 20;

type RebasePlan = { readonly content: ProposalContent } | { readonly withdraw: string };

/** Keeps pending proposals applicable: updates outdated ones, or withdraws them. */
@Injectable()
export class RebaseProposals {
  private hasCheckedAll = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly open: OpenProposals,
    private readonly builder: ProposalBuilder,
    private readonly org: OrgEntries,
    private readonly withdrawals: ProposalWithdrawer,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * The first call in a process checks all proposals, because a new version of the program may render them differently.
   * Later calls check only those whose skill or rival changed.
   */
  async rebase(actor: JobActor): Promise<{ rebased: number; withdrawn: number }> {
    requireJob(actor);
    const ids = await this.proposals.findOutdated(this.database.client, !this.hasCheckedAll);
    const done = { rebased: 0, withdrawn: 0 };
    for (let at = 0; at < ids.length; at += BATCH_SIZE)
      for (const id of await this.stale(ids.slice(at, at + BATCH_SIZE))) {
        const outcome = await this.database.transaction((tx) => this.rebaseOne(tx, actor, id));
        if (outcome) done[outcome] += 1;
      }
    this.hasCheckedAll = true;
    return done;
  }

  /** The ids of proposals that need an update. In a long queue these are few, and each gets its own transaction. */
  private async stale(ids: readonly string[]): Promise<string[]> {
    const proposals = await this.proposals.findByIds(this.database.client, ids);
    const contextOf = await this.open.contextOf(this.database.client, proposals);
    const statuses = await this.statuses(this.database.client, proposals);
    return proposals
      .filter(
        (proposal) => statuses(proposal).as !== 'unchanged' || staleness(proposal, contextOf(proposal)) !== undefined,
      )
      .map(({ id }) => id);
  }

  /** The contradiction status of each proposal. */
  private async statuses(tx: Tx, proposals: readonly Proposal[]): Promise<(proposal: Proposal) => ContradictionStatus> {
    const ids = proposals.filter(({ kind }) => kind !== 'retire').map(({ id }) => id);
    const rivals = await this.contradictions.rivals(tx, ids);
    return (proposal) => contradictionStatus(proposal, rivals.get(proposal.id) ?? []);
  }

  private async rebaseOne(tx: Tx, actor: JobActor, id: string): Promise<'rebased' | 'withdrawn' | undefined> {
    const proposal = await this.proposals.lock(tx, id);
    // The proposal of an external edit follows the file, which another job does.
    if (proposal?.state !== 'pending' || proposal.edit !== null) return undefined;
    const status = (await this.statuses(tx, [proposal]))(proposal);
    if (status.as === 'unchanged' && (await this.open.staleness(tx, proposal)) === undefined) return undefined;
    const plan = await this.planRebase(tx, proposal, status);
    if ('content' in plan) {
      await this.proposals.revise(tx, proposal, plan.content, this.clock.now());
      await this.journal.append(tx, actor, proposalEntry('proposal.rebased', id, plan.content));
      return 'rebased';
    }
    const { artifactSha256, skillName } = proposal;
    await this.withdrawals.withdraw(tx, actor, proposal, { artifactSha256, skillName, reason: plan.withdraw });
    return 'withdrawn';
  }

  private async planRebase(tx: Tx, proposal: Proposal, status: ContradictionStatus): Promise<RebasePlan> {
    if (status.as === 'subsumed') return { withdraw: `proposal ${status.by} subsumes it` };
    if (status.as === 'contradicts_live') {
      const { id: supersedesId, skillName } = status.live;
      return this.renderCurrent(tx, { ...proposal, kind: 'conflict', supersedesId, skillName });
    }
    return this.rebaseUncontested(tx, status.as === 'uncontested' ? { ...proposal, kind: 'new_skill' } : proposal);
  }

  /** The plan for a proposal without a new contradiction. */
  private async rebaseUncontested(tx: Tx, proposal: Proposal): Promise<RebasePlan> {
    const live = await this.org.liveSkill(proposal.skillName, tx);
    const hasMoved = (live?.id ?? null) !== proposal.supersedesId;
    if (proposal.kind === 'supersede' && (await this.wasRenamed(tx, proposal)))
      return { withdraw: 'the skill that it replaces changed or is retired' };
    if (proposal.kind === 'retire')
      return {
        withdraw: hasMoved ? 'the skill was replaced or retired' : 'the skill that it keeps changed or is retired',
      };
    if (hasMoved && proposal.kind === 'new_skill') return { withdraw: 'another skill has this name now' };
    if (hasMoved && proposal.kind === 'conflict')
      return { withdraw: 'the skill that it contradicts changed or is retired' };
    if (proposal.kind === 'amend' && proposal.supersedesId !== live?.id)
      return { withdraw: 'the skill that it amends changed or is retired' };
    return this.renderCurrent(
      tx,
      proposal.kind === 'supersede' ? { ...proposal, ...rebasedTarget(proposal, live?.id ?? null) } : proposal,
    );
  }

  /** Whether the proposal replaces a skill of another name, as the resolution of a contradiction does. */
  private async wasRenamed(tx: Tx, { supersedesId, skillName }: Proposal): Promise<boolean> {
    const target = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    return target !== undefined && target.skillName !== skillName;
  }

  private async renderCurrent(tx: Tx, proposal: Proposal): Promise<RebasePlan> {
    const version = (await this.org.lastVersion(proposal.skillName, tx)) + 1;
    const skillVersion = { skillName: proposal.skillName, version };
    try {
      return { content: await this.builder.build(tx, proposal.id, withoutEdit(proposal), proposal, skillVersion) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { withdraw: error.message };
    }
  }
}
