import { Injectable, Logger } from '@nestjs/common';
import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import type { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { ExternalEditSubmitter } from '../external/external-edit-submitter.service.js';
import { replacedMemoryId, touchesLiveSkill } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { toSummary } from '../proposals/proposal-summary.js';
import type { VotedProposal } from '../proposals/proposals.schema.js';
import { type ApprovalRequest, evaluate, type LockedProposal } from '../voting/approval-request.js';
import { rethrowAsStale, type VoteResult } from '../voting/decision-applier.service.js';
import { countDecision } from '../voting/decision-metrics.js';
import { OpenProposals } from '../voting/open-proposals.service.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { VoteCaster } from '../voting/vote-caster.service.js';
import { VoteRequirements } from '../voting/vote-requirements.service.js';

/**
 * The maximum number of approvals in one transaction: as many as arrive while a slow disk commits, and few enough for
 * one statement.
 */
const MAX_BATCH = 64;

/** The answer to one request of a batch. A refused request does not affect the others. */
type ApprovalAnswer = { readonly cast: VoteResult } | { readonly refused: DomainError };

/**
 * Approves exactly the bytes that the reviewer read. The journal is a single chain that serialises decisions, so
 * approvals that arrive while others are written share the next transaction. Each is evaluated separately.
 */
@Injectable()
export class ApproveProposal {
  private readonly logger = new Logger(ApproveProposal.name);
  private readonly batcher = new Batcher<Reviewed<ApprovalRequest>, ApprovalAnswer>(MAX_BATCH, (requests) =>
    this.approveAll(requests),
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly proposals: ProposalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenProposals,
    private readonly caster: VoteCaster,
    private readonly requirements: VoteRequirements,
    private readonly publisher: Publisher,
    private readonly handEdits: ExternalEditSubmitter,
  ) {}

  /**
   * Writes the vote and, if the votes suffice, org memory, the publication and the journal in one transaction. Throws
   * `conflict` if the proposal changed, is decided or has expired, `forbidden` outside the review scope.
   */
  async approve(reviewer: ReviewerActor, id: string, artifactSha256: string, ifMatch?: string): Promise<VotedProposal> {
    const request: Reviewed<ApprovalRequest> = { reviewer, id, seen: { artifactSha256, ifMatch } };
    const answer: ApprovalAnswer = await this.batcher.submit(request);
    if ('refused' in answer) throw answer.refused;
    const { proposal, approvers, message: says } = answer.cast;
    countDecision('approved', proposal);
    const memory = replacedMemoryId(proposal);
    if (memory !== undefined) this.logger.log({ event: 'ORG_SKILL_SUPERSEDED', memory, approval: id });
    this.publisher.wake();
    if (touchesLiveSkill(proposal)) this.handEdits.wake();
    return { ...toSummary(proposal, approvers), message: says };
  }

  /** Returns the answers in the order of the requests. */
  private approveAll(requests: readonly Reviewed<ApprovalRequest>[]): Promise<ApprovalAnswer[]> {
    return this.database
      .sqlTransaction(async (tx) => {
        const outcomes = evaluate(requests, await this.lock(tx, requests), this.clock.now());
        const votes = outcomes.flatMap((outcome) => ('cast' in outcome ? [outcome.cast] : []));
        const results = (votes.length === 0 ? [] : await this.caster.cast(tx, votes)).values();
        return outcomes.map((outcome) => {
          if ('refused' in outcome) return outcome;
          const { value } = results.next();
          if (!value) throw new Error('a vote has no result');
          return { cast: value };
        });
      })
      .catch(rethrowAsStale);
  }

  /** Locks the proposals of the requests and reads their context. */
  private async lock(tx: SqlClient, requests: readonly ApprovalRequest[]): Promise<Map<string, LockedProposal>> {
    const proposals = await this.proposals.lockAll(tx, [...new Set(requests.map(({ id }) => id))]);
    const read = await this.requirements.apply(tx, [...proposals.values()]);
    const pending = read.filter(({ state }) => state === 'pending');
    await this.open.lockRivals(tx, pending);
    const contextOf = await this.open.contextOf(tx, pending);
    const approvers = await this.votes.approvers(tx, pending);
    return new Map(
      read.map((proposal) => [
        proposal.id,
        { proposal, context: contextOf(proposal), approvers: approvers.get(proposal.id) ?? [] },
      ]),
    );
  }
}
