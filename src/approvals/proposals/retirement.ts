import type { Proposal, ProposalContent } from './proposal.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** The item that ends a live skill: it names the very bytes that go. */
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

/** The same, as a job asks for it: urgent, whatever the skill itself was rated. */
export function retirementRequestProposal(
  approved: Proposal,
  memoryId: string,
  request: RetirementRequest,
): ProposalContent {
  return { ...retirementProposal(approved, memoryId), risk: 'high', impact: impactOf(request) };
}

/** One pending request for each reason and version of a skill. */
export function requestFingerprint(reason: RetirementRequest['reason'], memoryId: string): string {
  return `${reason}:${memoryId}`;
}

/** As in the rest of the queue: failures times agents. A changed dependency has had no failures yet. */
function impactOf(request: RetirementRequest): number {
  return request.reason === 'harm' ? request.effect.with.failures * request.effect.with.agents : 0;
}

/** Whether there is materially more to say than at the rejection: twice the executions, or another model. */
export function hasMoreEvidence(rejected: RetirementRequest, now: RetirementRequest): boolean {
  if (rejected.reason === 'harm' && now.reason === 'harm')
    return executionsOf(now.effect) >= 2 * executionsOf(rejected.effect);
  if (rejected.reason === 'dependency-changed' && now.reason === 'dependency-changed')
    return now.is.some(({ model }) => !rejected.is.some((known) => known.model === model));
  return true;
}

const executionsOf = (effect: { with: { executions: number }; without: { executions: number } }): number =>
  effect.with.executions + effect.without.executions;
