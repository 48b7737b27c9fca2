import type { EntryKind } from '../store/entry-kind.schema.js';
import type { Category, Lesson, Provenance } from '../store/lesson.schema.js';

/** A live memory of one agent, as the rules of the consolidation read it. */
export interface Mergeable {
  readonly id: string;
  readonly contentSha256: string;
  readonly provenance: Provenance;
  readonly pinned: boolean;
  /** A person vouches for it or restored it, or it is verified: its words stay as they are. */
  readonly stands: boolean;
  /** An entry that a person wrote or corrected: no run ends it. */
  readonly isPersons: boolean;
  readonly createdAt: Date;
  readonly lastRetrievedAt: Date | null;
}

export interface MergeableLesson extends Mergeable {
  readonly category: Category;
  readonly lesson: Lesson;
  readonly controlTags: readonly string[];
  readonly proposer: string;
  readonly failureKey: string | null;
  readonly remedyKey: string | null;
  /** Of a claim that nothing overcame its failure: the live lesson or approved skill that does. */
  readonly answeredBy: string | null;
  /** A copy of another agent's lesson, which follows its original. */
  readonly isCopy: boolean;
  /** Written until the model answers, which then replaces it. */
  readonly isPlaceholder: boolean;
  readonly lastWitnessedAt: Date | null;
  readonly relevanceCount: number;
  /** The executions that showed it. */
  readonly witnesses: readonly string[];
}

/** An entry of a session memory. */
export interface MergeableEntry extends Mergeable {
  readonly kind: EntryKind;
  readonly content: string;
}

/** The live entries of one agent in one project; null: those that hold in every project. */
export interface ProjectEntries {
  readonly project: string | null;
  readonly entries: readonly MergeableEntry[];
}

/** A lesson that a run writes. */
export type WrittenLesson = Pick<
  MergeableLesson,
  'category' | 'lesson' | 'controlTags' | 'provenance' | 'proposer' | 'createdAt' | 'relevanceCount' | 'lastRetrievedAt'
>;

/** Memories that one replaces. */
export interface Merge<T extends Mergeable = Mergeable> {
  /** They say the same as the one that replaces them, no more than a general one, or named their dates relatively. */
  readonly reason: 'merged' | 'covered' | 'dated';
  readonly into: string;
  /** Its words, keys and origin are those of the result. */
  readonly base: T;
  /** The result, with the words of `base` and absolute dates; undefined: `base` itself stays. */
  readonly written: WrittenLesson | undefined;
  /** What ends, `base` included if the result is written. */
  readonly from: readonly T[];
}

/** A memory that ends without a text that takes over its words. */
export interface Ending<T extends Mergeable = Mergeable> {
  readonly memory: T;
  readonly reason: 'contradicted' | 'answered' | 'pruned';
  /** The lesson that was right, or that answers it. */
  readonly by: string | null;
}

/** What a run does with the lessons of an agent, or with its entries in one project. */
export interface MergePlan<T extends Mergeable = Mergeable> {
  readonly of: 'lessons' | 'entries';
  readonly merges: readonly Merge<T>[];
  readonly endings: readonly Ending<T>[];
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
