export interface TuningSchedule {
  readonly minDocuments: number;
  /** Growth since the last run, as a share of what that one read. */
  readonly growth: number;
}

/** Whether a run is due: once memory is large enough, and again when it has grown. `last` is what the last run read. */
export const isDue = (documents: number, last: number | undefined, { minDocuments, growth }: TuningSchedule): boolean =>
  documents >= minDocuments && (last === undefined || documents >= last * (1 + growth));
