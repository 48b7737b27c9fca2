import type { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import type { OrgEntries } from '../../memory/store/org-entries.service.js';
import type { KnownClaimsInput } from './known-claims.js';

type LiveEntry = Awaited<ReturnType<OrgEntries['live']>>[number];
type ProposalClaim = Awaited<ReturnType<ProposalQueue['pending']>>[number];
type Rejection = Awaited<ReturnType<ProposalQueue['rejections']>>[number];

/** What a cycle's drafts are compared with, from org memory and the queue. */
export function knownClaimsInput(
  entries: readonly LiveEntry[],
  pending: readonly ProposalClaim[],
  approved: readonly ProposalClaim[],
  rejections: readonly Rejection[],
): KnownClaimsInput {
  const itemOf = new Map(approved.map((item) => [item.id, item]));
  return {
    orgEntries: entries.map(({ id, proposalId, lesson }) => {
      const item = itemOf.get(proposalId ?? '');
      const { condition, action } = lesson.activation;
      const { confidence } = lesson;
      return { id, condition, action, confidence, ...(item ? { ...identity(item), evidence: item.executions } : {}) };
    }),
    pendingProposals: pending.map((item) => {
      const { id, condition, action, confidence, executions } = item;
      return { id, condition, action, confidence, evidence: executions, ...identity(item) };
    }),
    rejectedFingerprints: rejections.flatMap(({ fingerprints, reason, actionFingerprint, agents }) =>
      fingerprints.map((fingerprint) => ({ fingerprint, reason, actionFingerprint, agents })),
    ),
  };
}

const identity = ({ fingerprints, actionFingerprint, applicability }: ProposalClaim) => ({
  fingerprints,
  actionFingerprint,
  applicability,
});
