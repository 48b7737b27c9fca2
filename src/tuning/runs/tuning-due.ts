import type { TuningKind } from '../checkpoints/tuning.schema.js';

/** Sizes of what a run reads. */
export interface TuningSize {
  readonly documents: number;
  readonly pairs: number;
}

export interface TuningSchedule {
  readonly mode: 'off' | 'base' | 'base_and_adapter';
  readonly minDocuments: number;
  /** Growth since the last run, as a share of what that one read. */
  readonly growth: number;
}

/**
 * The run that is due: a base once memory is large enough, and again when it has grown; a map of queries when the pairs
 * have. `last` is what the last run of each kind read that ended by its own verdict.
 */
export function dueKind(
  now: TuningSize,
  last: Readonly<Partial<Record<TuningKind, TuningSize>>>,
  { mode, minDocuments, growth }: TuningSchedule,
): TuningKind | undefined {
  if (mode === 'off' || now.documents < minDocuments) return undefined;
  const hasGrown = (size: number, before: number | undefined) => before === undefined || size >= before * (1 + growth);
  if (hasGrown(now.documents, last.base?.documents)) return 'base';
  if (mode === 'base' || now.pairs === 0) return undefined;
  return hasGrown(now.pairs, last.adapter?.pairs) ? 'adapter' : undefined;
}
