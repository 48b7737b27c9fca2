import type { Item, ItemContent } from './approval-item.js';

/** The item that ends a live skill: it names the very bytes that go. */
export function retirementOf(approved: Item, memoryId: string, cycleId: string | null = null): ItemContent {
  return {
    kind: 'retire',
    fingerprints: approved.fingerprints,
    actionFingerprint: approved.actionFingerprint,
    setting: approved.setting,
    skillName: approved.skillName,
    version: approved.version,
    proposal: approved.proposal,
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
  };
}
