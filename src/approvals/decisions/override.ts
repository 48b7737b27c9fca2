import { Injectable, Logger } from '@nestjs/common';
import { reviewScopeCovers } from '../../access/identity/review-scope.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type Proposal, replacedMemoryId } from '../proposals/proposal.js';
import { toSummary } from '../proposals/proposal-summary.js';
import type { Override, VotedProposal } from '../proposals/proposals.schema.js';
import { DecisionApplier, rethrowAsStale, type VoteResult } from '../voting/decision-applier.service.js';
import { countDecision } from '../voting/decision-metrics.js';
import { OpenProposals } from '../voting/open-proposals.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** How long the first approval is valid; the database enforces the same limit. */
const VALID_MS = HOUR_MS;

type OverriddenRule = 'review_scope' | 'votes';

/**
 * Bypasses the review scope and the number of votes, and no other rule. Two reviewers have to approve the same bytes
 * within one hour, each with a reason. The journal records it as a separate action.
 */
@Injectable()
export class OverrideRules {
  private readonly logger = new Logger(OverrideRules.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly votes: VoteRepository,
    private readonly open: OpenProposals,
    private readonly applier: DecisionApplier,
    private readonly publisher: Publisher,
  ) {}

  /**
   * Records the first approval, or applies the decision with the second one of another reviewer. Throws `conflict` if
   * an ordinary vote suffices, if the same person gives both, and in the cases of an approval.
   */
  async override(reviewer: ReviewerActor, id: string, request: Override, ifMatch?: string): Promise<VotedProposal> {
    const reason = redact(request.reason).text;
    const {
      proposal,
      approvers,
      message: says,
    } = await this.database
      .transaction(async (tx) => {
        const proposal = await this.open.lockOpen(tx, id, { artifactSha256: request.artifactSha256, ifMatch });
        await this.open.requireCurrent(tx, proposal);
        return this.recordHalf(tx, reviewer, proposal, reason);
      })
      .catch(rethrowAsStale);
    countDecision('overridden', proposal);
    const memory = replacedMemoryId(proposal);
    if (memory !== undefined) this.logger.log({ event: 'ORG_SKILL_SUPERSEDED', memory, approval: id });
    this.publisher.wake();
    return { ...toSummary(proposal, approvers), message: says };
  }

  private async recordHalf(tx: Tx, reviewer: ReviewerActor, proposal: Proposal, reason: string): Promise<VoteResult> {
    const at = this.clock.now();
    const earlier = await this.votes.overrideHalves(tx, proposal, new Date(at.getTime() - VALID_MS));
    if (earlier.some(({ personId }) => personId === reviewer.id))
      throw new DomainError(
        'conflict',
        'proposal.override_already_given',
        'You already approved this override. Another reviewer has to give the second approval.',
      );
    const [first] = earlier;
    const rules = overriddenRules(reviewer, proposal);
    if (!first && rules.length === 0)
      throw new DomainError(
        'conflict',
        'proposal.override_not_needed',
        'No override is needed: you can approve this proposal.',
      );
    const decision = {
      id: this.ids.uuid(),
      proposal,
      principalId: reviewer.id,
      verdict: 'override' as const,
      reason,
      votesNeeded: proposal.votesNeeded,
      at,
    };
    await this.votes.add(tx, decision);
    if (first) {
      const approvers = [first.personId, reviewer.id];
      const data = { reason, first: { by: first.personId, reason: first.reason } };
      const [settled] = await this.applier.apply(tx, [
        { reviewer, proposal, approvers, action: 'proposal.overridden', data },
      ]);
      if (settled) return settled;
    }
    await this.journal.append(tx, reviewer, {
      action: 'proposal.override_requested',
      subject: { type: 'proposal', id: proposal.id },
      data: { artifactSha256: proposal.artifactSha256, revision: proposal.revision, overrides: rules, reason },
    });
    const until = new Date(at.getTime() + VALID_MS).toISOString();
    const approvers = (await this.votes.approvers(tx, [proposal])).get(proposal.id) ?? [];
    return { proposal, approvers, message: `Another reviewer has to override the same bytes by ${until}.` };
  }
}

/** The rules that an override by this reviewer bypasses; empty if an ordinary vote suffices. */
function overriddenRules({ reviewScope }: ReviewerActor, { audience, votesNeeded }: Proposal): OverriddenRule[] {
  return [
    ...(reviewScopeCovers(reviewScope, audience) ? [] : (['review_scope'] as const)),
    ...(votesNeeded > 2 ? (['votes'] as const) : []),
  ];
}
