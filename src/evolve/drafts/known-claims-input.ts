import type { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { rejectionKindOf } from '../../approvals/texts/rejection-reason.schema.js';
import type { OrgEntries } from '../../memory/store/org-entries.service.js';
import type { KnownClaimsInput } from './known-claims.js';

type LiveEntry = Awaited<ReturnType<OrgEntries['live']>>[number];
type ProposalClaim = Awaited<ReturnType<ProposalQueue['pending']>>[number];
type MergedSkill = Awaited<ReturnType<ProposalQueue['merged']>>[number];
type MetBy = Pick<ProposalClaim, 'agents' | 'projects' | 'tasks'>;
type Rejection = Awaited<ReturnType<ProposalQueue['rejections']>>[number];

/** The newest rejections lower what resembles them; reviewers change their minds. */
const MOST_REJECTIONS = 500;

/** Returns what the drafts of a cycle are compared with, from org memory and the queue. */
export function knownClaimsInput(
  entries: readonly LiveEntry[],
  pending: readonly ProposalClaim[],
  approved: readonly ProposalClaim[],
  rejections: readonly Rejection[],
  merged: readonly MergedSkill[] = [],
): KnownClaimsInput {
  const proposalOf = new Map(approved.map((proposal) => [proposal.id, proposal]));
  const live = new Set(entries.map(({ proposalId }) => proposalId));
  const knownBy = new Map<string, MetBy>();
  for (const { fingerprints, ...claim } of approved)
    for (const print of fingerprints) knownBy.set(print, mostOf([claim, knownBy.get(print) ?? claim]));
  // A person has retired it or put something else in its place, and knew who had met the failures.
  const replaced = approved
    .filter(({ id }) => !live.has(id))
    .map(({ fingerprints, actionFingerprint, ...claim }) => ({
      ...mostOf([claim, ...fingerprints.flatMap((print) => knownBy.get(print) ?? [])]),
      fingerprints,
      actionFingerprint,
      reason: 'a person retired it or put another skill in its place',
    }));
  return {
    orgEntries: entries.map(({ id, proposalId, skillName, lesson }) => {
      const proposal = proposalOf.get(proposalId ?? '');
      const { condition, action } = lesson.activation;
      const { confidence } = lesson;
      return {
        id,
        condition,
        action,
        confidence,
        ...(proposal ? { ...identity(proposal), evidence: proposal.executions } : {}),
        ...(lesson.binding ? { binding: lesson.binding } : {}),
        merged: merged.filter(({ keptName }) => keptName === skillName),
      };
    }),
    pendingProposals: pending.map((proposal) => {
      const { id, condition, action, confidence, executions } = proposal;
      return { id, condition, action, confidence, evidence: executions, ...identity(proposal) };
    }),
    rejectedFingerprints: [...rejections, ...replaced].flatMap(({ fingerprints, ...rejection }) =>
      fingerprints.map((fingerprint) => ({ fingerprint, ...rejection })),
    ),
    rejectedProposals: rejections
      .filter(({ reopened }) => !reopened)
      .slice(0, MOST_REJECTIONS)
      .map(({ fingerprints, actionFingerprint, tool, failingAction, reason }) => ({
        fingerprints,
        actionFingerprint,
        tool,
        failingAction,
        reason: rejectionKindOf(reason),
      })),
  };
}

const mostOf = (parts: readonly MetBy[]): MetBy => ({
  agents: Math.max(...parts.map(({ agents }) => agents)),
  projects: Math.max(...parts.map(({ projects }) => projects)),
  tasks: Math.max(...parts.map(({ tasks }) => tasks)),
});

const identity = ({ fingerprints, actionFingerprint, applicability, learned, binding }: ProposalClaim) => ({
  fingerprints,
  actionFingerprint,
  applicability,
  ...(learned ? { learned } : {}),
  ...(binding ? { binding } : {}),
});
