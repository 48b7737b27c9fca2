import { Inject, Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
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

/**
 * Reopens a rejected, expired or withdrawn proposal, or that of a retired skill, as a new one: a decided proposal cannot
 * change, and a person decides again.
 */
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
    private readonly org: OrgEntries,
    private readonly contradictions: Contradictions,
  ) {}

  /** Throws `conflict` if the proposal is pending, or its skill live or replaced, its pattern is pending, or its skill changed. */
  async reopen(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ProposalSummary> {
    const { text } = redact(reason);
    try {
      return await this.database.transaction(async (tx) => {
        const old = requireFound(await this.proposals.lock(tx, id), id);
        requireReviewScope(reviewer, old);
        requireMatch(old, ifMatch);
        requireReopenable(old);
        const again = await this.proposedAgain(tx, old);
        const now = this.clock.now();
        const newId = this.ids.uuid();
        const proposal = await this.proposals.create(tx, await this.contentOf(tx, newId, again), {
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

  /** A retired skill is proposed as a new one with the next version, since none of its name is live. */
  private async proposedAgain(tx: Tx, old: Proposal): Promise<Proposal> {
    if (old.state !== 'approved') return old;
    const last = (await this.org.history(old.skillName, tx)).at(-1);
    if (
      old.kind === 'retire' ||
      last?.proposalId !== old.id ||
      last.supersededAt === null ||
      last.supersededById !== null
    )
      throw notReopenable('This proposal is approved. It can be reopened only after its skill was retired.');
    return { ...old, kind: 'new_skill', supersedesId: null, version: old.version + 1 };
  }

  /** A retirement keeps the live bytes. Other files contain the proposal's id and are rendered again. */
  private async contentOf(tx: Tx, id: string, old: Proposal): Promise<ProposalContent> {
    if (old.kind === 'retire' && old.supersedesId !== null) return retirementProposal(old, old.supersedesId);
    return this.builder.build(tx, id, withoutEdit(old), old, old);
  }
}

function requireReopenable({ state, edit }: Proposal): void {
  if (state === 'pending') throw notReopenable('This proposal is pending and cannot be reopened.');
  if (edit !== null)
    throw notReopenable('This proposal came from an external edit: edit the file again to open a new proposal.');
}

const notReopenable = (message: string): DomainError => new DomainError('conflict', 'proposal.not_reopenable', message);
