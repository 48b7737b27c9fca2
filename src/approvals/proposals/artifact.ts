import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
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

/** Renders the bytes. The same input always gives the same bytes. Throws `invalid` for a text that no file can hold. */
export function artifactOf(proposal: ArtifactIdentity, proposedSkill: ProposedSkill, evidence: Evidence): string {
  const record = SkillRecord.safeParse({
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
  if (!record.success)
    throw new DomainError(
      'invalid',
      'proposal.not_publishable',
      `The proposal cannot become a SKILL.md: ${record.error.issues.slice(0, 5).map(sayIssue).join('; ')}`,
    );
  return renderSkill(record.data);
}

/** Entries of a list are counted from 1, as people do. */
const sayIssue = ({ path, message }: { path: readonly PropertyKey[]; message: string }): string =>
  `${path.map((part) => (typeof part === 'number' ? part + 1 : String(part))).join(' ')} ${message}`;

const countedNoun = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** Summarises the evidence in one line of the file. */
export function summarise(evidence: Evidence): string {
  const best = evidence.alternatives[0];
  const seen = `${countedNoun(evidence.failures, 'failure')} in ${countedNoun(evidence.executions, 'execution')} of ${countedNoun(evidence.agents, 'agent')}`;
  return best ? `${seen}; the alternative worked ${best.worked} of ${best.n} times` : seen;
}
