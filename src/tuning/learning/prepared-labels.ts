import { QueryMap } from '../../recall/embedding/query-map.js';
import type { Measured } from './deploy-rule.js';
import type { FusionSettings } from './hybrid-search.js';
import { findSources, findWords, indexVectors, indexWords, type VectorSystem, type WordHits } from './hybrid-search.js';
import { type LabelSplit, splitLabels } from './label-split.js';
import type { TrainingInput } from './training-contract.js';

/** The split, and what does not change during a training: what the words find, and what is served. */
export interface PreparedLabels {
  readonly split: LabelSplit;
  readonly words: WordHits;
  /** The embedder with its adapter, if one is served. */
  readonly served: VectorSystem;
}

export function* prepareLabels(input: TrainingInput): Generator<void, PreparedLabels> {
  const split = splitLabels(input);
  yield;
  const index = yield* indexWords(input.documents);
  const { train, stop, gate, probeChoice, probe } = split;
  const words = yield* findWords(index, [...train, ...stop, ...gate, ...probeChoice, ...probe]);
  const vectors = indexVectors(
    input.documents.map(({ id }) => id),
    input.documents.map(({ vector }) => vector),
  );
  yield;
  const map = input.served.adapter ? QueryMap.read(input.served.adapter) : undefined;
  return { split, words, served: mappedSystem(vectors, map) };
}

export const mappedSystem = (index: VectorSystem['index'], map: QueryMap | undefined): VectorSystem => ({
  index,
  vectorOf: ({ vector }) => (map ? map.map(vector) : vector),
});

/** What a system finds for the queries that decide. */
export function* measure(
  { split, words }: PreparedLabels,
  system: VectorSystem,
  settings: FusionSettings,
): Generator<void, Measured> {
  const gate = yield* findSources(system, words, split.gate);
  const probe = yield* findSources(system, words, split.probe);
  return { gate, probe, settings };
}
