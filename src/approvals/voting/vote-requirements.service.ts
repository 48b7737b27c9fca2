import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { CONFIG } from '../../platform/platform.module.js';
import { suspicionsIn } from '../proposals/new-proposal.js';
import type { Proposal } from '../proposals/proposal.js';
import { type QuorumSettings, quorumFor } from '../proposals/quorum.js';
import { higherRisk, joinSuspicions, MANY_AGENTS, riskOf } from '../proposals/risk.js';
import { VoteRepository } from './vote.repository.js';

/**
 * Computes how many people decide where the vote is cast, from the bytes that they read. Background work writes the
 * stored ratings, so that they only count where they ask for more.
 */
@Injectable()
export class VoteRequirements {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly votes: VoteRepository,
  ) {}

  /** The proposals in their order, those that are pending with ratings that are at least the computed ones. */
  async apply(tx: SqlClient, proposals: readonly Proposal[]): Promise<Proposal[]> {
    const ids = proposals.filter(isRated).map(({ id }) => id);
    if (ids.length === 0) return [...proposals];
    const standings = await this.votes.standings(tx, ids, MANY_AGENTS);
    return proposals.map((proposal) => {
      const standing = isRated(proposal) ? standings.get(proposal.id) : undefined;
      return standing ? rated(proposal, { ...standing, quorum: this.config }) : proposal;
    });
  }
}

/** A retirement takes one reviewer; its ratings do not count. */
const isRated = ({ state, kind }: Proposal): boolean => state === 'pending' && kind !== 'retire';

/** The proposal with ratings of its bytes. They are never below the stored ones, nor below those of earlier votes. */
export function rated(
  proposal: Proposal,
  { reach, asked, quorum }: { reach: number; asked: number; quorum: QuorumSettings },
): Proposal {
  const { kind, proposedSkill, evidence, edit } = proposal;
  const suspicions = joinSuspicions(suspicionsIn(proposedSkill, evidence), proposal.findings.suspicions);
  const findings = { ...proposal.findings, suspicions };
  const risk = higherRisk(proposal.risk, riskOf(kind, proposedSkill, evidence, findings, reach));
  const votesNeeded = Math.max(proposal.votesNeeded, asked, quorumFor(kind, risk, quorum, edit !== null));
  return { ...proposal, findings, risk, votesNeeded };
}
