import type { Scope } from '../store/lesson.schema.js';

/** The fields that decide how long a memory lives. Its text is not among them. */
export interface RetentionCandidate {
  readonly id: string;
  readonly scope: Scope;
  readonly pinned: boolean;
  /** A copy of another agent's lesson. It must not push out what the agent learned itself. */
  readonly isCopy?: boolean;
  readonly createdAt: Date;
  /** Number of sessions in which it was retrieved. */
  readonly relevanceCount: number;
  readonly lastRetrievedAt: Date | null;
}

export const END_REASONS = ['ttl', 'pareto', 'never_retrieved', 'evicted'] as const;
/** Why a lesson ended: pruned by a strategy, never retrieved, or evicted for lessons that are used more. */
export type EndReason = (typeof END_REASONS)[number];

export interface LessonEnd {
  readonly id: string;
  readonly why: EndReason;
}

/** Only people end what a person pinned or approved. */
export const isProtected = ({ pinned, scope }: RetentionCandidate): boolean => pinned || scope === 'org';

/** Time of the last use, in epoch milliseconds: the last retrieval, or the creation. */
export const lastUsedAt = ({ createdAt, lastRetrievedAt }: RetentionCandidate): number =>
  Math.max(createdAt.getTime(), lastRetrievedAt?.getTime() ?? 0);

/** Makes the order independent of the order in which rows were read. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : Number(a.id > b.id);
