import type { CorpusDocument } from '../../recall/embedding/latent-corpus.js';

export interface TrainingDocument extends CorpusDocument {
  readonly id: string;
  /** What the keyword search indexes: the terms of name and text. */
  readonly terms: readonly string[];
  /** Milliseconds; the newest documents are the probe. */
  readonly createdAt: number;
  /** By the embedder that is served. */
  readonly vector: Float32Array;
}
export interface LabelledQuery {
  readonly text: string;
  readonly relevant: readonly string[]; // ids of documents
  readonly vector: Float32Array; // by the embedder that is served
}
export interface TrainingInput {
  readonly seed: number;
  /** The memories, ordered by id; the same input gives the same bytes. */
  readonly documents: readonly TrainingDocument[];
  readonly queries: readonly LabelledQuery[];
  /** Texts of a folder. They teach which words occur together; no query asks for them, so they never judge. */
  readonly foreign: readonly CorpusDocument[];
  /** What is served now: its name, its weight in the fusion, and its threshold. */
  readonly served: { readonly name: string; readonly weight: number; readonly minSimilarity: number };
}
export interface TrainingProgress {
  readonly stage: 'split' | 'fit' | 'choose' | 'gate';
  readonly done: number;
  readonly total: number;
}
/** One training, in steps of at most some tens of milliseconds, so that its thread can rest in between and stop. */
export type Training = Generator<TrainingProgress, TrainingResult>;

export interface TrainingResult {
  /** What is served if it is deployed: the latent base. Read by src/recall/embedding. */
  readonly model: Uint8Array;
  readonly name: string; // latent-terms/1/128+<first 8 of the model's hash>
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
