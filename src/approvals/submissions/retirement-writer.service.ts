import { Inject, Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import type { Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { LiveSkill } from '../proposals/live-skills.service.js';
import { expiryOf } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { retirementRequestProposal } from '../proposals/retirement.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';

/** A request to retire a live skill: its fingerprint, and what the journal says of it. */
interface NewRetirement {
  readonly live: LiveSkill;
  readonly fingerprint: string;
  readonly request: RetirementRequest;
  readonly action: 'proposal.retirement_requested' | 'proposal.merge_proposed';
}

/** Writes requests for the retirement of live skills, which a person decides on, with their journal entries. */
@Injectable()
export class RetirementWriter {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
  ) {}

  /** Returns the id of the proposal. The texts of the request are redacted. */
  async create(tx: Tx, actor: JobActor, { live, fingerprint, request, action }: NewRetirement): Promise<string> {
    const id = this.ids.uuid();
    const now = this.clock.now();
    const expiresAt = expiryOf(now, this.config);
    const content = retirementRequestProposal(live.approved, live.entry.id, request);
    await this.proposals.create(tx, content, { id, fingerprint, createdAt: now, expiresAt, request });
    const { skillName, version } = content;
    const { reason, says } = request;
    const keep = request.reason === 'merge' ? { keep: request.keep.skillName } : {};
    await this.journal.append(tx, actor, {
      action,
      subject: { type: 'proposal', id },
      data: { skillName, version, reason, ...keep, says },
    });
    return id;
  }
}
