import type { JournalRecord } from '../../journal/journal.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { generalise, generaliseDeep } from '../../untrusted/text/generalise.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import { renderArtifact } from './artifact.js';
import type { Proposal, ProposalContent, SanitizedEdit } from './proposal.js';
import type { ProposalKind } from './proposals.schema.js';
import { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { type QuorumSettings, quorumFor } from './quorum.js';
import { riskOf } from './risk.js';

/** What a caller asks the queue to take; its texts are not safe to store yet. */
export interface NewProposal {
  readonly kind: ProposalKind;
  /** The name that a new skill would like; it gets another when that one is taken. */
  readonly skillName: string;
  /** Stable over cycles: one pattern is one pending item. */
  readonly fingerprint: string;
  readonly fingerprints: readonly string[];
  readonly applicability: string;
  readonly actionFingerprint: string;
  readonly proposedSkill: ProposedSkill;
  readonly evidence: Evidence;
  readonly confidence: number;
  readonly impact: number;
  /** The org entry that it replaces or contradicts. */
  readonly supersedesId: string | null;
  /** Items that it cannot hold beside. */
  readonly contradicts?: readonly string[];
  readonly cycleId: string | null;
  readonly edit?: SanitizedEdit;
  /** The person who wrote it. */
  readonly editorId?: string | null;
  /** Whoever wrote it before. */
  readonly earlierEditorIds?: readonly string[];
}

/** The texts of a submission, generalised and redacted, with what was found in them. */
export type SanitizedProposal = Pick<ProposalContent, 'proposedSkill' | 'evidence' | 'findings'>;

/** What leaves an agent's own scope says nothing of its paths, hosts and people (L2), and is searched for injection. */
export function sanitizeProposal(submission: Pick<NewProposal, 'proposedSkill' | 'evidence'>): SanitizedProposal {
  const proposedSkill = ProposedSkill.parse(submission.proposedSkill);
  const evidence = Evidence.parse(submission.evidence);
  const clean = redactDeep({
    proposedSkill: generaliseDeep(proposedSkill),
    evidence: {
      ...evidence,
      failing: generaliseDeep(evidence.failing),
      alternatives: evidence.alternatives.map((alternative) => ({
        ...alternative,
        action: generalise(alternative.action),
      })),
      ...(evidence.models ? { models: evidence.models.map(generalise) } : {}),
    },
  });
  // Sanitising shortens and lengthens text: what is stored has to be what reading it gives, to the last space, since
  // the file, org memory and the database's gate are made from it.
  const readable = ProposedSkill.safeParse(clean.value.proposedSkill);
  if (!readable.success)
    throw new DomainError(
      'invalid',
      'proposal.not_publishable',
      'Too much of the proposal had to be taken out or marked.',
    );
  return {
    proposedSkill: redactDeep(readable.data).value,
    evidence: redactDeep(clean.value.evidence).value,
    findings: {
      redactions: [...clean.redactions],
      suspicions: suspicions(`${textOf(proposedSkill)}\n${evidence.failing.example}`),
    },
  };
}

const textOf = ({ title, discovery, condition, action, rationale, steps, gotchas }: ProposedSkill): string =>
  [title, discovery, condition, action, rationale, ...steps, ...gotchas].join('\n');

/** The row of an item, with the exact file that its approval publishes. Throws `invalid` when it cannot be published. */
export function buildProposal(
  id: string,
  submission: Omit<NewProposal, 'skillName' | 'proposedSkill' | 'evidence' | 'fingerprint'>,
  sanitized: SanitizedProposal,
  {
    reach,
    quorum,
    ...group
  }: Pick<ProposalContent, 'skillName' | 'version' | 'audience' | 'sourceOwnerId'> & {
    reach: number;
    quorum: QuorumSettings;
  },
): ProposalContent {
  const { kind, fingerprints, actionFingerprint, applicability, confidence, impact, supersedesId, cycleId } =
    submission;
  const { proposedSkill, evidence, findings } = sanitized;
  const { skillName, version, audience, sourceOwnerId } = group;
  const artifact = renderArtifact({ proposalId: id, skillName, version }, proposedSkill, evidence);
  if (artifact.problems.length > 0)
    throw new DomainError(
      'invalid',
      'proposal.not_publishable',
      `The proposal cannot become a SKILL.md: ${artifact.problems.join('; ')}`,
    );
  const risk = riskOf(kind, proposedSkill, evidence, findings, reach);
  return {
    kind,
    fingerprints,
    actionFingerprint,
    applicability,
    skillName,
    version,
    audience,
    proposedSkill,
    evidence,
    findings,
    confidence,
    impact,
    supersedesId,
    cycleId,
    edit: submission.edit ?? null,
    artifact: artifact.bytes,
    artifactSha256: artifact.sha256,
    risk,
    editorId: submission.editorId ?? null,
    earlierEditorIds: submission.earlierEditorIds ?? [],
    sourceOwnerId,
    votesNeeded: quorumFor(kind, risk, quorum, submission.edit !== undefined),
  };
}

/** What an item was submitted with, to render it again: with its change by hand, or without. */
export const toNewProposal = ({ edit, ...proposal }: Proposal) => ({ ...proposal, ...(edit ? { edit } : {}) });
export const withoutEdit = ({ edit: _none, ...proposal }: Proposal) => proposal;

/** What a pending item is measured against may have been approved, replaced or retired since it was submitted. */
export function rebasedTarget(
  { kind, fingerprint }: Pick<Proposal, 'kind' | 'fingerprint'>,
  supersedesId: string | null,
) {
  if (kind === 'conflict') return { kind, fingerprint, supersedesId };
  return { kind: supersedesId === null ? ('new_skill' as const) : ('supersede' as const), fingerprint, supersedesId };
}

/** What the journal keeps of an item that was put to people. */
export function proposalEntry(action: string, id: string, content: ProposalContent): JournalRecord {
  const { kind, skillName, artifactSha256, risk, confidence, supersedesId, cycleId, evidence } = content;
  const { agents, owners, origins, executions, failures } = evidence;
  return {
    action,
    subject: { type: 'proposal', id },
    data: {
      ...{ kind, skillName, artifactSha256, risk, confidence, supersedesId, cycleId },
      evidence: { agents, owners, origins, executions, failures },
    },
  };
}
