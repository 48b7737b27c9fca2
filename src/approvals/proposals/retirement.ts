import type { Proposal, ProposalContent } from './proposal.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** The proposal that retires a live skill. It names exactly the bytes to retire. */
export function retirementProposal(
  approved: Proposal,
  memoryId: string,
  cycleId: string | null = null,
): ProposalContent {
  return {
    kind: 'retire',
    fingerprints: approved.fingerprints,
    actionFingerprint: approved.actionFingerprint,
    applicability: approved.applicability,
    skillName: approved.skillName,
    version: approved.version,
    audience: approved.audience,
    proposedSkill: approved.proposedSkill,
    evidence: approved.evidence,
    artifact: approved.artifact,
    artifactSha256: approved.artifactSha256,
    findings: approved.findings,
    risk: approved.risk,
    confidence: approved.confidence,
    impact: approved.impact,
    supersedesId: memoryId,
    cycleId,
    edit: null,
    editorId: null,
    earlierEditorIds: [],
    sourceOwnerId: null,
    votesNeeded: 1,
  };
}

/** A retirement requested by a job: high risk, independent of the rating of the skill. */
export function retirementRequestProposal(
  approved: Proposal,
  memoryId: string,
  request: RetirementRequest,
): ProposalContent {
  return { ...retirementProposal(approved, memoryId), risk: 'high', impact: impactOf(request) };
}

/** The fingerprint of a request: one can be pending for each reason and version of a skill. */
export function requestFingerprint(reason: RetirementRequest['reason'], memoryId: string): string {
  return `${reason}:${memoryId}`;
}

/** Failures times agents, as for other proposals. A changed dependency has no failures yet. */
function impactOf(request: RetirementRequest): number {
  return request.reason === 'harm' ? request.effect.with.failures * request.effect.with.agents : 0;
}

/** Whether the evidence has grown materially since the rejection: twice the executions, or another model. */
export function hasMoreEvidence(rejected: RetirementRequest, now: RetirementRequest): boolean {
  if (rejected.reason === 'harm' && now.reason === 'harm')
    return executionsOf(now.effect) >= 2 * executionsOf(rejected.effect);
  if (rejected.reason === 'dependency-changed' && now.reason === 'dependency-changed')
    return now.is.some(({ model }) => !rejected.is.some((known) => known.model === model));
  return true;
}

const executionsOf = (effect: { with: { executions: number }; without: { executions: number } }): number =>
  effect.with.executions + effect.without.executions;
