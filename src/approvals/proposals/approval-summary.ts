import type { Place } from '../../access/identity/remit.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { ApprovalSummary } from './approvals.schema.js';
import type { Evidence, Proposal } from './proposal.schema.js';
import { tally } from './quorum.js';

/** Throws `not_found` for an item that is not there. */
export function existing<T>(item: T | undefined, id: string): T {
  if (!item) throw new DomainError('not_found', 'approval.not_found', `There is no approval item ${id}.`);
  return item;
}

type Summarised = Omit<
  ApprovalSummary,
  | 'title'
  | 'action'
  | 'votes'
  | 'audience'
  | 'cluster'
  | 'evidence'
  | 'createdAt'
  | 'updatedAt'
  | 'expiresAt'
  | 'decidedAt'
> & {
  readonly proposal: Pick<Proposal, 'title' | 'action'>;
  readonly evidence: Evidence;
  readonly editorId: string | null;
  readonly earlierEditorIds: readonly string[];
  readonly sourceOwnerId: string | null;
  readonly votesNeeded: number;
  readonly audience: readonly Place[];
  readonly cluster: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
};

/** An item as the list shows it: with the people who approved this revision, and how many near-duplicates wait. */
export function toSummary(item: Summarised, approvers: readonly string[], alike = 1): ApprovalSummary {
  const { agents, owners, origins, executions, failures } = item.evidence;
  const { id, kind, state, revision, skillName, artifactSha256, risk, confidence, impact } = item;
  return {
    ...{ id, kind, state, revision, skillName, artifactSha256, risk, confidence, impact },
    title: item.proposal.title,
    action: item.proposal.action,
    votes: tally(item, approvers),
    audience: item.audience.map((place) => ({ ...place })),
    cluster: { id: item.cluster, size: alike },
    evidence: { agents, owners, origins, executions, failures },
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
    expiresAt: item.expiresAt.toISOString(),
    decidedAt: item.decidedAt?.toISOString() ?? null,
  };
}
