import { Inject, Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { proposalEntry } from '../proposals/new-proposal.js';
import { expiryOf, type ProposalContent } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';

/** The fingerprint of external edits: a skill has at most one pending proposal for them. */
export const editFingerprint = (skillName: string): string => `amend:${skillName}`;

/** Submits an external edit of a published skill as a proposal. */
@Injectable()
export class SubmitExternalEdit {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
  ) {}

  /**
   * Opens a proposal or, with `isPending`, revises the pending one; a proposal that was decided meanwhile is not
   * changed. Throws `conflict` if another proposal for this file is pending.
   */
  async submit(actor: JobActor, id: string, content: ProposalContent, isPending: boolean): Promise<void> {
    requireJob(actor);
    try {
      await this.database.transaction(async (tx) => {
        const now = this.clock.now();
        if (isPending) {
          const proposal = await this.proposals.lock(tx, id);
          if (proposal?.state !== 'pending') return;
          await this.proposals.revise(tx, proposal, content, now);
        } else {
          const fingerprint = editFingerprint(content.skillName);
          const expiresAt = expiryOf(now, this.config);
          await this.proposals.create(tx, content, { id, fingerprint, createdAt: now, expiresAt });
        }
        const action = isPending ? 'proposal.refreshed' : 'proposal.edit_submitted';
        await this.journal.append(tx, actor, proposalEntry(action, id, content));
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'proposal.already_pending', 'A proposal for this file is already pending.');
    }
  }
}
