import type { Scope } from '../store/lesson.schema.js';

/** What decides on the life of a memory: never what it says. */
export interface KeptLesson {
  readonly id: string;
  readonly scope: Scope;
  readonly pinned: boolean;
  readonly createdAt: Date;
  /** Sessions in which it was retrieved. */
  readonly relevanceCount: number;
  readonly lastRetrievedAt: Date | null;
}

export const ENDINGS = ['ttl', 'pareto', 'never_retrieved', 'evicted'] as const;
/** Why a lesson is ended: by a pruning strategy, for never having been of use, or since others earned its slot. */
export type Ending = (typeof ENDINGS)[number];

export interface Ended {
  readonly id: string;
  readonly why: Ending;
}

/** What a person pinned, and what a person approved, is for people to end (spec L8). */
export const isProtected = ({ pinned, scope }: KeptLesson): boolean => pinned || scope === 'org';

/** When it was last of any use: written, or retrieved. */
export const lastUse = ({ createdAt, lastRetrievedAt }: KeptLesson): number =>
  Math.max(createdAt.getTime(), lastRetrievedAt?.getTime() ?? 0);

/** For an order that does not depend on the one in which rows were read. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : Number(a.id > b.id);
