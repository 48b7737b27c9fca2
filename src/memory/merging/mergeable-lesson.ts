import type { Category, Lesson, Provenance } from '../store/lesson.schema.js';

/** A live lesson of an agent, as the rules of the consolidation read it. */
export interface MergeableLesson {
  readonly id: string;
  readonly category: Category;
  readonly lesson: Lesson;
  readonly controlTags: readonly string[];
  readonly provenance: Provenance;
  readonly proposer: string;
  readonly contentSha256: string;
  readonly failureKey: string | null;
  readonly remedyKey: string | null;
  /** Of a claim that nothing overcame its failure: the live lesson or approved skill that does. */
  readonly answeredBy: string | null;
  /** A person pinned, corrected or judged it, restored it, or it is verified: its words stay as they are. */
  readonly stands: boolean;
  readonly pinned: boolean;
  /** A copy of another agent's lesson, which follows its original. */
  readonly isCopy: boolean;
  /** Written until the model answers, which then replaces it. */
  readonly isPlaceholder: boolean;
  readonly createdAt: Date;
  readonly lastWitnessedAt: Date | null;
  readonly lastRetrievedAt: Date | null;
  readonly relevanceCount: number;
  /** The executions that showed it. */
  readonly witnesses: readonly string[];
}

export const MERGE_REASONS = ['merged', 'covered', 'dated'] as const;
/** Says the same as the lesson that replaces it, no more than a general one, or named its dates relatively. */
export type MergeReason = (typeof MERGE_REASONS)[number];

/** Lessons that one lesson replaces: a new one with the words of `base`, or one that stands. */
export interface LessonMerge {
  readonly reason: MergeReason;
  readonly into: string;
  readonly isNew: boolean;
  /** Its words, keys and origin are those of the result. */
  readonly base: MergeableLesson;
  /** The words of `base`, with absolute dates. */
  readonly lesson: Lesson;
  readonly provenance: Provenance;
  /** The lessons that end, `base` included if the result is new. */
  readonly from: readonly MergeableLesson[];
}

/** A lesson that ends without a text that takes over its words. */
export interface LessonEnding {
  readonly lesson: MergeableLesson;
  readonly reason: 'contradicted' | 'answered' | 'pruned';
  /** The lesson that was right, or that answers it. */
  readonly by: string | null;
}

export interface MergePlan {
  readonly merges: readonly LessonMerge[];
  readonly endings: readonly LessonEnding[];
}

const RANKS: Readonly<Record<Provenance, number>> = { unavailable_at_write_time: 0, unverified: 1, verified: 2 };

/** The provenance of what is made of several lessons: that of the weakest. */
export const weakest = (all: readonly Provenance[]): Provenance =>
  all.reduce((a, b) => (RANKS[b] < RANKS[a] ? b : a), 'verified' as Provenance);

/** Positive if `a` is better founded than `b`: a person's word first, then the provenance. */
export const compareFoundation = (a: MergeableLesson, b: MergeableLesson): number =>
  Number(a.pinned) - Number(b.pinned) ||
  RANKS[a.provenance] - RANKS[b.provenance] ||
  Number(a.stands) - Number(b.stands);
