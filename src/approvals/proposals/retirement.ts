import { compareText } from '../../platform/base/compare-text.js';
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

/**
 * A retirement requested by a job: high risk, independent of the rating of the skill. A merge has the rating of the skill,
 * because what it says stays.
 */
export function retirementRequestProposal(
  approved: Proposal,
  memoryId: string,
  request: RetirementRequest,
): ProposalContent {
  const content = { ...retirementProposal(approved, memoryId), impact: impactOf(request) };
  return request.reason === 'merge' ? content : { ...content, risk: 'high' };
}

/** The fingerprint of a request: one can be pending for each reason and version of a skill. */
export function requestFingerprint(reason: RetirementRequest['reason'], memoryId: string): string {
  return `${reason}:${memoryId}`;
}

/** The fingerprint of a merge: the same whichever of the two versions is kept, and another one when either changes. */
export function mergeFingerprint(a: string, b: string): string {
  return `merge:${[a, b].sort(compareText).join('+')}`;
}

/** The version that a merge keeps; undefined for every other proposal. */
export const keptSkill = ({ request }: Pick<Proposal, 'request'>) =>
  request?.reason === 'merge' ? request.keep : undefined;

/** Failures times agents, as for other proposals. A changed dependency has no failures yet, and a merge none. */
function impactOf(request: RetirementRequest): number {
  return request.reason === 'harm' ? request.effect.with.failures * request.effect.with.agents : 0;
}

/** Whether the evidence has grown materially since the rejection: twice the executions, or another model. */
export function hasMoreEvidence(rejected: RetirementRequest, now: RetirementRequest): boolean {
  if (rejected.reason === 'harm' && now.reason === 'harm')
    return executionsOf(now.effect) >= 2 * executionsOf(rejected.effect);
  if (rejected.reason === 'dependency-changed' && now.reason === 'dependency-changed')
    return now.is.some(({ model }) => !rejected.is.some((known) => known.model === model));
  // The fingerprint names both versions, so that nothing has changed.
  return rejected.reason !== 'merge';
}

const executionsOf = (effect: { with: { executions: number }; without: { executions: number } }): number =>
  effect.with.executions + effect.without.executions;
