export type TrainingKind = 'base' | 'adapter';

export interface TrainingDocument {
  readonly id: string;
  /** The text that recall embeds (src/recall/index/embedded-text.ts). */
  readonly text: string;
  /** What the keyword search indexes: the terms of name and text. */
  readonly terms: readonly string[];
  /** Whose private lesson this is; null for what all readers may see. */
  readonly ownerId: string | null;
  /** Milliseconds; the newest documents are the probe of an adapter. */
  readonly createdAt: number;
  /** By the embedder that is served. */
  readonly vector: Float32Array;
}
export interface LabelledQuery {
  readonly text: string;
  readonly relevant: readonly string[]; // ids of documents
  readonly vector: Float32Array; // by the embedder that is served, before any adapter
}
export interface TrainingInput {
  readonly kind: TrainingKind;
  readonly seed: number;
  /** Ordered by id; the same input gives the same bytes. */
  readonly documents: readonly TrainingDocument[];
  readonly queries: readonly LabelledQuery[];
  /**
   * What is served now: its name, its weight in the fusion, its threshold, and the model bytes of an adapter if one is
   * served.
   */
  readonly served: {
    readonly name: string;
    readonly weight: number;
    readonly minSimilarity: number;
    readonly adapter?: Uint8Array;
  };
}
export interface TrainingProgress {
  readonly stage: 'split' | 'fit' | 'choose' | 'gate' | 'done';
  readonly done: number;
  readonly total: number;
}

/** One training, in steps of at most some tens of milliseconds, so that its thread can rest in between and stop. */
export interface Training {
  readonly progress: TrainingProgress;
  /** Does one step; false when nothing is left. */
  step(): boolean;
  /**
   * All that the next step depends on (format, version, settings, base name, hash of the input). Resuming it ends in the
   * same bytes.
   */
  save(): Uint8Array;
  /** After the last step. */
  result(): TrainingResult;
}
export interface TrainingResult {
  /** What is served if it is deployed: the latent base, or the map of the query. Read by src/recall/embedding. */
  readonly model: Uint8Array;
  readonly name: string; // e.g. latent-terms/1/128+<first 8 of the model's hash>, or <base>+a<hash>
  readonly dimensions: number;
  readonly weight: number;
  readonly minSimilarity: number;
  readonly verdict: Verdict;
}
export interface Verdict {
  readonly deploy: boolean;
  /**
   * Stable codes with numbers, in plain English, e.g. {code: 'too_few_gate_queries', text: '12 gate queries, 50
   * needed.'}
   */
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  readonly measures: Readonly<Record<string, number>>; // gateBefore, gateAfter, gateGain, gateLower, probeGain, probeLower, gateQueries, probeQueries, …
}

/** A checkpoint is damaged, or belongs to other settings or another input. */
export class TrainingMismatch extends Error {
  override readonly name = 'TrainingMismatch';
}
