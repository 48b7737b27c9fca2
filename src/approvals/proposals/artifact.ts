import { sha256 } from '../../platform/base/canonical-json.js';
import { lintSkill } from '../../skills/document/lint.js';
import { renderSkill } from '../../skills/document/render.js';
import { SkillRecord } from '../../skills/document/skill-record.schema.js';
import { validateSkill } from '../../skills/document/validate.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';

interface ArtifactIdentity {
  readonly proposalId: string;
  readonly skillName: string;
  readonly version: number;
}

export interface Artifact {
  /** The SKILL.md, followed by the reference files of a long skill (`filesOf`). */
  readonly bytes: string;
  readonly sha256: string;
  /** Why it cannot be published; empty if it can. */
  readonly problems: readonly string[];
}

/** Renders the exact bytes that an approval publishes, and checks them. */
export function renderArtifact(proposal: ArtifactIdentity, proposedSkill: ProposedSkill, evidence: Evidence): Artifact {
  const bytes = artifactOf(proposal, proposedSkill, evidence);
  const problems = [
    ...validateSkill(proposal.skillName, bytes),
    ...lintSkill(bytes).map(({ path, line, message }) => `${path}, line ${line}: ${message}`),
  ];
  return { bytes, sha256: sha256(bytes), problems };
}

/** Renders the bytes. The same input always gives the same bytes. */
export function artifactOf(proposal: ArtifactIdentity, proposedSkill: ProposedSkill, evidence: Evidence): string {
  const record = SkillRecord.parse({
    name: proposal.skillName,
    title: proposedSkill.title,
    description: proposedSkill.discovery,
    condition: proposedSkill.condition,
    action: proposedSkill.action,
    rationale: proposedSkill.rationale,
    steps: proposedSkill.steps,
    gotchas: proposedSkill.gotchas,
    tags: proposedSkill.tags,
    version: proposal.version,
    proposalId: proposal.proposalId,
    provenance: 'verified',
    evidence: {
      agents: evidence.agents,
      owners: evidence.owners,
      origins: evidence.origins,
      executions: evidence.executions,
      failures: evidence.failures,
      firstSeen: evidence.firstSeen.slice(0, 10),
      lastSeen: evidence.lastSeen.slice(0, 10),
      summary: summarise(evidence),
    },
  } satisfies SkillRecord);
  return renderSkill(record);
}

const countedNoun = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** Summarises the evidence in one line of the file. */
export function summarise(evidence: Evidence): string {
  const best = evidence.alternatives[0];
  const seen = `${countedNoun(evidence.failures, 'failure')} in ${countedNoun(evidence.executions, 'execution')} of ${countedNoun(evidence.agents, 'agent')}`;
  return best ? `${seen}; the alternative worked ${best.worked} of ${best.n} times` : seen;
}
