import type { ApprovalQueue } from '../../approvals/queue/approval-queue.service.js';
import type { OrgEntries } from '../../memory/store/org-entries.service.js';
import type { KnownInput } from './known-claims.js';

type LiveEntry = Awaited<ReturnType<OrgEntries['live']>>[number];
type ItemClaim = Awaited<ReturnType<ApprovalQueue['pending']>>[number];
type Rejection = Awaited<ReturnType<ApprovalQueue['rejections']>>[number];

/** What a cycle's drafts are compared with, from org memory and the queue. */
export function knownInput(
  entries: readonly LiveEntry[],
  pending: readonly ItemClaim[],
  approved: readonly ItemClaim[],
  rejections: readonly Rejection[],
): KnownInput {
  const itemOf = new Map(approved.map((item) => [item.id, item]));
  return {
    orgEntries: entries.map(({ id, approvalId, lesson }) => {
      const item = itemOf.get(approvalId ?? '');
      const { condition, action } = lesson.activation;
      const { confidence } = lesson;
      return { id, condition, action, confidence, ...(item ? { ...identity(item), evidence: item.executions } : {}) };
    }),
    pendingItems: pending.map((item) => {
      const { id, condition, action, confidence, executions } = item;
      return { id, condition, action, confidence, evidence: executions, ...identity(item) };
    }),
    rejectedFingerprints: rejections.flatMap(({ fingerprints, reason, actionFingerprint, agents }) =>
      fingerprints.map((fingerprint) => ({ fingerprint, reason, actionFingerprint, agents })),
    ),
  };
}

const identity = ({ fingerprints, actionFingerprint, setting }: ItemClaim) => ({
  fingerprints,
  actionFingerprint,
  setting,
});
