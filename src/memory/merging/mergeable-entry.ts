import type { EntryKind } from '../store/entry-kind.schema.js';

/** A live entry of one agent, as the rules of the consolidation read it. */
export interface MergeableEntry {
  readonly id: string;
  readonly kind: EntryKind;
  readonly content: string;
  readonly contentSha256: string;
  readonly pinned: boolean;
  /** A person wrote or corrected it, or restored it by undoing a run: no run ends it. */
  readonly stands: boolean;
  /** A person wrote or corrected it. */
  readonly isPersons: boolean;
  readonly createdAt: Date;
  readonly lastRecalledAt: Date | null;
}

/** The live entries of one agent in one project; null: those that hold in every project. */
export interface ProjectEntries {
  readonly project: string | null;
  readonly entries: readonly MergeableEntry[];
}

/** Entries that end for the one that says the same. */
export interface EntryMerge {
  readonly into: MergeableEntry;
  readonly from: readonly MergeableEntry[];
}

export interface EntryMergePlan {
  readonly project: string | null;
  readonly merges: readonly EntryMerge[];
  readonly pruned: readonly MergeableEntry[];
}

/** What a run ended in one project, and how many changes it left out because an entry changed since the plan. */
export interface AppliedEntries extends EntryMergePlan {
  readonly skipped: number;
}
