import { Inject, Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { isUniqueViolation, type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { expiryOf } from '../proposals/expiry.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { proposalEvent } from '../proposals/proposal-event.js';
import { hasMoreEvidence, requestFingerprint, retirementRequestProposal } from '../proposals/retirement.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';

export type RetirementRequestResult = 'opened' | 'pending' | 'remembered' | 'gone';

/** Requests the retirement of a live skill. Only a person can decide on the request. */
@Injectable()
export class RequestRetirement {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly skills: LiveSkills,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Opens a proposal unless one is pending for the same reason and version. A rejected request is repeated only with
   * materially more evidence.
   */
  async request(
    actor: JobActor,
    skill: Pick<MemoryEntry, 'id' | 'skillName'>,
    requested: RetirementRequest,
  ): Promise<RetirementRequestResult> {
    requireJob(actor);
    const request = redactDeep(requested).value;
    const fingerprint = requestFingerprint(request.reason, skill.id);
    try {
      return await this.database.transaction(async (tx) => {
        const live = skill.skillName === null ? undefined : await this.skills.find(tx, skill.skillName);
        if (live?.entry.id !== skill.id) return 'gone';
        const [last] = await this.proposals.retirementRequests(tx, fingerprint);
        if (last?.proposal.state === 'pending') return 'pending';
        if (
          last?.proposal.state === 'rejected' &&
          last.proposal.request &&
          !hasMoreEvidence(last.proposal.request, request)
        )
          return 'remembered';
        await this.create(tx, actor, retirementRequestProposal(live.approved, skill.id, request), fingerprint, request);
        return 'opened';
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'pending';
      throw error;
    }
  }

  private async create(
    tx: Tx,
    actor: JobActor,
    content: ReturnType<typeof retirementRequestProposal>,
    fingerprint: string,
    request: RetirementRequest,
  ): Promise<void> {
    const id = this.ids.uuid();
    const now = this.clock.now();
    const expiresAt = expiryOf(now, this.config);
    await this.proposals.create(tx, content, { id, fingerprint, createdAt: now, expiresAt, request });
    await this.journal.append(tx, actor, {
      action: 'proposal.retirement_requested',
      subject: { type: 'proposal', id },
      data: { skillName: content.skillName, version: content.version, reason: request.reason, says: request.says },
    });
    await this.webhooks.enqueue(tx, proposalEvent('proposal.submitted', { ...content, id }));
  }
}
