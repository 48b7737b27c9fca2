import type { Scope } from '../store/lesson.schema.js';

/** What decides on the life of a memory: never what it says. */
export interface RetentionCandidate {
  readonly id: string;
  readonly scope: Scope;
  readonly pinned: boolean;
  readonly createdAt: Date;
  /** Sessions in which it was retrieved. */
  readonly relevanceCount: number;
  readonly lastRetrievedAt: Date | null;
}

export const END_REASONS = ['ttl', 'pareto', 'never_retrieved', 'evicted'] as const;
/** Why a lesson is ended: by a pruning strategy, for never having been of use, or since others earned its slot. */
export type EndReason = (typeof END_REASONS)[number];

export interface LessonEnd {
  readonly id: string;
  readonly why: EndReason;
}

/** What a person pinned, and what a person approved, is for people to end (spec L8). */
export const isProtected = ({ pinned, scope }: RetentionCandidate): boolean => pinned || scope === 'org';

/** When it was last of any use: written, or retrieved. */
export const lastUsedAt = ({ createdAt, lastRetrievedAt }: RetentionCandidate): number =>
  Math.max(createdAt.getTime(), lastRetrievedAt?.getTime() ?? 0);

/** For an order that does not depend on the one in which rows were read. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : Number(a.id > b.id);
