import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { isUniqueViolation, WorkerDatabase } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { hasMoreEvidence, requestFingerprint } from '../proposals/retirement.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { RetirementWriter } from './retirement-writer.service.js';

export type RetirementRequestResult = 'opened' | 'pending' | 'remembered' | 'gone';

/** Requests the retirement of a live skill. Only a person can decide on the request. */
@Injectable()
export class RequestRetirement {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly skills: LiveSkills,
    private readonly writer: RetirementWriter,
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
        await this.writer.create(tx, actor, { live, fingerprint, request, action: 'proposal.retirement_requested' });
        return 'opened';
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'pending';
      throw error;
    }
  }
}
