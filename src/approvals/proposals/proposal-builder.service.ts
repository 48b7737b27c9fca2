import { Inject, Injectable } from '@nestjs/common';
import type { AgentGroup } from '../../access/identity/review-scope.js';
import type { Config } from '../../platform/config/config.js';
import type { Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { AudienceRepository } from './audience.repository.js';
import { buildProposal, type NewProposal, type SanitizedProposal } from './new-proposal.js';
import type { ProposalContent } from './proposal.js';
import { MAX_SEEN_BY } from './proposed-skill.schema.js';
import { listedOwners } from './quorum.js';

/**
 * Builds proposals with the facts of this installation: its agents determine risk and audience, its settings the votes
 * needed.
 */
@Injectable()
export class ProposalBuilder {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly audiences: AudienceRepository,
  ) {}

  /** Throws `invalid` if the proposal cannot be published. */
  async build(
    tx: Tx,
    id: string,
    submission: Omit<NewProposal, 'skillName' | 'proposedSkill' | 'evidence' | 'fingerprint'>,
    sanitized: SanitizedProposal,
    { skillName, version }: Pick<ProposalContent, 'skillName' | 'version'>,
  ): Promise<ProposalContent> {
    const reach = await this.audiences.countAgents(tx);
    const audience = await this.audienceOf(tx, sanitized);
    const sourceOwnerId = await this.audiences.reviewedOwner(tx, listedOwners(sanitized.evidence));
    const facts = { skillName, version, audience, sourceOwnerId };
    return buildProposal(id, submission, sanitized, { ...facts, reach, quorum: this.config });
  }

  /**
   * The groups of the agents that it was learned from. A list at its maximum may be cut: then the audience is the
   * organisation.
   */
  private async audienceOf(tx: Tx, { evidence }: SanitizedProposal): Promise<AgentGroup[]> {
    const names = evidence.seenBy.map(({ agent }) => agent);
    return names.length >= MAX_SEEN_BY ? [] : this.audiences.agentGroups(tx, names);
  }
}
