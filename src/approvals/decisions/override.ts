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
import { OpenProposals } from '../voting/open-proposals.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** How long the first half waits for the second; the database has the same bound. */
const VALID_MS = HOUR_MS;

type OverriddenRule = 'review_scope' | 'votes';

/**
 * The way around the review scope and the number of votes, and around nothing else: two people, each with a reason and on the
 * bytes that they read, within an hour. The journal has an action of its own for it.
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
   * The first half waits, the second one of somebody else approves. Throws `conflict` when a vote would do, for the same
   * person a second time, and as an approval does.
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
        'You gave one half of this override. Somebody else has to give the other, whichever credential you use.',
      );
    const [first] = earlier;
    const what = overriddenRules(reviewer, proposal);
    if (!first && what.length === 0)
      throw new DomainError(
        'conflict',
        'proposal.override_not_needed',
        'Nothing is in the way of your vote: approve it.',
      );
    const half = { id: this.ids.uuid(), proposal, principalId: reviewer.id, verdict: 'override' as const, reason, at };
    await this.votes.add(tx, half);
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
      data: { artifactSha256: proposal.artifactSha256, revision: proposal.revision, overrides: what, reason },
    });
    const until = new Date(at.getTime() + VALID_MS).toISOString();
    const approvers = (await this.votes.approvers(tx, [proposal])).get(proposal.id) ?? [];
    return { proposal, approvers, message: `Another reviewer has to override the same bytes by ${until}.` };
  }
}

/** What stands in the way of this person's vote, or of two votes. */
function overriddenRules({ reviewScope }: ReviewerActor, { audience, votesNeeded }: Proposal): OverriddenRule[] {
  return [
    ...(reviewScopeCovers(reviewScope, audience) ? [] : (['review_scope'] as const)),
    ...(votesNeeded > 2 ? (['votes'] as const) : []),
  ];
}
