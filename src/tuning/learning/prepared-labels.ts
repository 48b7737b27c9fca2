import type { Measured } from './deploy-rule.js';
import {
  type FusionSettings,
  findSources,
  findWords,
  hybridQualities,
  indexVectors,
  indexWords,
  type Sources,
  type VectorSystem,
  type WordHits,
} from './hybrid-search.js';
import { type LabelSplit, splitLabels } from './label-split.js';
import type { TrainingInput } from './training-contract.js';

/** The split, and what does not change during a training: what the words find, and what is served. */
export interface PreparedLabels {
  readonly split: LabelSplit;
  readonly words: WordHits;
  readonly served: VectorSystem;
}

export function* prepareLabels(input: TrainingInput): Generator<void, PreparedLabels> {
  const split = splitLabels(input);
  yield;
  const index = yield* indexWords(input.documents);
  const { stop, gate, probeChoice, probe } = split;
  const words = yield* findWords(index, [...stop, ...gate, ...probeChoice, ...probe]);
  const stored = input.documents.map(({ vector }) => vector);
  yield;
  return { split, words, served: { index: indexVectors(input.documents, stored), vectorOf: ({ vector }) => vector } };
}

/** What a system finds for the queries that decide. */
export interface DecidingSources {
  readonly gate: readonly Sources[];
  readonly probe: readonly Sources[];
}

/** Asks the queries that decide; those of the probe ask another system, if one is given. */
export function* askDeciding(
  { split, words }: PreparedLabels,
  system: VectorSystem,
  ofProbe = system,
): Generator<void, DecidingSources> {
  const gate = yield* findSources(system, words, split.gate);
  const probe = yield* findSources(ofProbe, words, split.probe);
  return { gate, probe };
}

export function* measure({ gate, probe }: DecidingSources, settings: FusionSettings): Generator<void, Measured> {
  const [ofGate, ofProbe] = [yield* hybridQualities(gate, settings), yield* hybridQualities(probe, settings)];
  return {
    gate: { qualities: ofGate, groups: gate.map(groupOf) },
    probe: { qualities: ofProbe, groups: probe.map(groupOf) },
  };
}

/** Queries of one document are drawn together. */
const groupOf = ({ split }: Sources): string => split.relevant[0] ?? '';
