import { grouped } from '../frame/quantity.js';

/** Entries of a list that a page shows. */
export const SHOWN = 20;

/** What lessons or entries say, by id. Deleted ones are missing. */
export type Texts = ReadonlyMap<string, string>;

/** What the page of a run shows beside its report. */
export interface RunTexts {
  readonly lessons: Texts;
  /** Undefined for those who may not read what the entries say. */
  readonly entries: Texts | undefined;
  /** Entries that are ended by the run: after an undo, those that it could not restore. */
  readonly leftEnded: number;
}

export interface ShownChange {
  readonly says: string;
  readonly from: readonly string[];
  readonly why: string;
  readonly witnesses: string | null;
}

/** A list of changes, as far as a page shows it. */
export function listOf<T>(
  title: string,
  { total, items }: { total: number; items: readonly T[] },
  show: (item: T) => ShownChange,
) {
  const rows = items.slice(0, SHOWN).map(show);
  return {
    total,
    title,
    rows,
    more: total > rows.length ? `${grouped(total - rows.length)} more` : null,
  };
}
