import { Inject, Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, isUniqueViolation, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { withoutEdit } from '../proposals/new-proposal.js';
import { expiryOf, type Proposal, type ProposalContent } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { requireFound, toSummary } from '../proposals/proposal-summary.js';
import type { ProposalSummary } from '../proposals/proposals.schema.js';
import { retirementProposal } from '../proposals/retirement.js';
import { Contradictions } from '../voting/contradictions.service.js';
import { requireMatch, requireReviewScope } from '../voting/open-proposal.js';
import { OpenProposals } from '../voting/open-proposals.service.js';

/** Reopens a rejected, expired or withdrawn proposal as a new one, because a decided proposal cannot change. */
@Injectable()
export class ReopenProposal {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly builder: ProposalBuilder,
    private readonly open: OpenProposals,
    private readonly contradictions: Contradictions,
  ) {}

  /** Throws `conflict` if the proposal is pending or approved, its pattern is pending, or its skill changed. */
  async reopen(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ProposalSummary> {
    const { text } = redact(reason);
    try {
      return await this.database.transaction(async (tx) => {
        const old = requireFound(await this.proposals.lock(tx, id), id);
        requireReviewScope(reviewer, old);
        requireMatch(old, ifMatch);
        requireReopenable(old);
        const now = this.clock.now();
        const newId = this.ids.uuid();
        const proposal = await this.proposals.create(tx, await this.contentOf(tx, newId, old), {
          id: newId,
          fingerprint: old.fingerprint,
          reopenedFromId: old.id,
          createdAt: now,
          ...(old.request ? { request: old.request } : {}),
          expiresAt: expiryOf(now, this.config),
        });
        await this.open.requireCurrent(tx, proposal);
        await this.journal.append(tx, reviewer, {
          action: 'proposal.reopened',
          subject: { type: 'proposal', id: proposal.id },
          data: { from: old.id, was: old.state, reason: text, artifactSha256: proposal.artifactSha256 },
        });
        await this.contradictions.inherit(tx, reviewer, old.id, proposal.id);
        return toSummary(requireFound(await this.proposals.find(tx, proposal.id), proposal.id), []);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'proposal.already_pending', 'A proposal for this pattern is already pending.');
    }
  }

  /** A retirement keeps the live bytes. Other files contain the proposal's id and are rendered again. */
  private async contentOf(tx: Tx, id: string, old: Proposal): Promise<ProposalContent> {
    if (old.kind === 'retire' && old.supersedesId !== null) return retirementProposal(old, old.supersedesId);
    return this.builder.build(tx, id, withoutEdit(old), old, old);
  }
}

function requireReopenable({ state, edit }: Proposal): void {
  if (state === 'pending' || state === 'approved')
    throw new DomainError('conflict', 'proposal.not_reopenable', `This proposal is ${state} and cannot be reopened.`);
  if (edit !== null)
    throw new DomainError(
      'conflict',
      'proposal.not_reopenable',
      'This proposal came from an external edit: edit the file again to open a new proposal.',
    );
}
