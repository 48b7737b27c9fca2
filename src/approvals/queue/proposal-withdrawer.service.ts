import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import type { Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';

/** Withdraws a proposal: state and journal entry, or neither. */
@Injectable()
export class ProposalWithdrawer {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
  ) {}

  /**
   * `data` goes into the journal entry. False, without any change, if the proposal was decided or revised meanwhile.
   */
  async withdraw(
    tx: Tx,
    actor: JobActor,
    proposal: Proposal,
    data: NonNullable<JournalRecord['data']>,
  ): Promise<boolean> {
    if (!(await this.proposals.close(tx, [proposal], 'withdrawn', this.clock.now()))) return false;
    await this.journal.append(tx, actor, {
      action: 'proposal.withdrawn',
      subject: { type: 'proposal', id: proposal.id },
      data,
    });
    return true;
  }
}
