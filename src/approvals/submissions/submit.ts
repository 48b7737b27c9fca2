import { Inject, Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { isUniqueViolation, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { skillSlug } from '../../skills/document/slug.js';
import {
  type NewProposal,
  proposalEntry,
  requireSupported,
  type SanitizedProposal,
  sanitizeProposal,
  withKeptAuthors,
} from '../proposals/new-proposal.js';
import { expiryOf } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { Contradictions } from '../voting/contradictions.service.js';

export interface SubmitResult {
  readonly id: string;
  readonly outcome: 'submitted' | 'refreshed' | 'unchanged';
  /** It newly contradicts a live skill or a pending proposal. */
  readonly isConflict: boolean;
}

/** Submits a proposal to the queue. Jobs may use it, because it neither decides nor writes org memory. */
@Injectable()
export class SubmitProposal {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly builder: ProposalBuilder,
    private readonly org: OrgEntries,
    private readonly contradictions: Contradictions,
  ) {}

  /** Throws `conflict` if a proposal of its action for its pattern is pending, `invalid` if its check does not support it. */
  async submit(actor: JobActor, submission: NewProposal): Promise<SubmitResult> {
    requireJob(actor);
    requireSupported(submission.evidence);
    const sanitized = await this.withAuthors(sanitizeProposal(submission));
    const replaced = submission.supersedesId ? await this.org.find(submission.supersedesId) : undefined;
    const name = replaced?.skillName ?? (await this.freeName(submission.skillName, submission.fingerprint));
    try {
      return await this.database.transaction(async (tx) => {
        const id = this.ids.uuid();
        const now = this.clock.now();
        const version = (await this.org.lastVersion(name, tx)) + 1;
        const content = await this.builder.build(tx, id, submission, sanitized, { skillName: name, version });
        await this.proposals.create(tx, content, {
          id,
          fingerprint: submission.fingerprint,
          createdAt: now,
          expiresAt: expiryOf(now, this.config),
        });
        await this.journal.append(tx, actor, proposalEntry('SKILL_EVOLVER_PROPOSAL_EMITTED', id, content));
        if (submission.kind === 'conflict')
          await this.journal.append(tx, actor, proposalEntry('SKILL_EVOLVER_CONFLICT_DETECTED', id, content));
        await this.contradictions.record(tx, actor, id, submission.contradicts ?? []);
        return { id, outcome: 'submitted' as const, isConflict: submission.kind === 'conflict' };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'proposal.already_pending', 'A proposal for this pattern is already pending.');
    }
  }

  private async withAuthors(sanitized: SanitizedProposal): Promise<SanitizedProposal> {
    const { kept } = sanitized.evidence;
    return withKeptAuthors(sanitized, kept && (await this.proposals.find(this.database.client, kept.from)));
  }

  private async freeName(wanted: string, fingerprint: string): Promise<string> {
    const plain = skillSlug(wanted);
    const taken =
      (await this.org.lastVersion(plain)) > 0 || (await this.proposals.isSkillNameTaken(this.database.client, plain));
    return taken ? skillSlug(plain, sha256(fingerprint).slice(0, 8)) : plain;
  }
}
