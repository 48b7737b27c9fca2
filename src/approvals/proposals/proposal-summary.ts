import type { AgentGroup } from '../../access/identity/review-scope.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { verdictOf } from './proposal.js';
import { EvidenceCounts, type ProposalSummary } from './proposals.schema.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { countVotes } from './quorum.js';
import { keptSkill } from './retirement.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** A retirement has its own title, so that no one takes it for the proposal that it ends. */
const titleOf = ({ kind, request, proposedSkill }: Pick<SummaryInput, 'kind' | 'request' | 'proposedSkill'>) =>
  kind === 'retire' && request?.reason !== 'merge' ? `Retire: ${proposedSkill.title}` : proposedSkill.title;

/** Returns the proposal. Throws `not_found` if it is undefined. */
export function requireFound<T>(proposal: T | undefined, id: string): T {
  if (!proposal) throw new DomainError('not_found', 'proposal.not_found', `There is no proposal ${id}.`);
  return proposal;
}

type SummaryInput = Omit<
  ProposalSummary,
  | 'title'
  | 'action'
  | 'verdict'
  | 'mergesInto'
  | 'binding'
  | 'votes'
  | 'audience'
  | 'cluster'
  | 'evidence'
  | 'createdAt'
  | 'updatedAt'
  | 'expiresAt'
  | 'decidedAt'
> & {
  readonly proposedSkill: Pick<ProposedSkill, 'title' | 'action' | 'binding'>;
  readonly evidence: Evidence;
  readonly request: RetirementRequest | null;
  readonly edit: object | null;
  readonly editorId: string | null;
  readonly earlierEditorIds: readonly string[];
  readonly sourceOwnerId: string | null;
  readonly votesNeeded: number;
  readonly audience: readonly AgentGroup[];
  readonly cluster: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
};

/**
 * A proposal as the list shows it. `approvers` are the ids of the people who approved this revision, `clusterSize` is
 * the number of pending near-duplicates.
 */
export function toSummary(proposal: SummaryInput, approvers: readonly string[], clusterSize = 1): ProposalSummary {
  const { id, kind, state, revision, skillName, artifactSha256, risk, confidence, impact } = proposal;
  return {
    id,
    kind,
    state,
    revision,
    skillName,
    artifactSha256,
    risk,
    confidence,
    impact,
    title: titleOf(proposal),
    action: proposal.proposedSkill.action,
    verdict: verdictOf(proposal),
    mergesInto: keptSkill(proposal)?.skillName ?? null,
    binding: proposal.proposedSkill.binding ?? null,
    votes: countVotes(proposal, approvers),
    audience: proposal.audience.map((group) => ({ ...group })),
    cluster: { id: proposal.cluster, size: clusterSize },
    evidence: EvidenceCounts.parse(proposal.evidence),
    createdAt: proposal.createdAt.toISOString(),
    updatedAt: proposal.updatedAt.toISOString(),
    expiresAt: proposal.expiresAt.toISOString(),
    decidedAt: proposal.decidedAt?.toISOString() ?? null,
  };
}
