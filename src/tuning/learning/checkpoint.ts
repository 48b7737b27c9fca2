import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../platform/base/canonical-json.js';
import { packModel, UnreadableModel, unpackModel } from '../../recall/embedding/model-bytes.js';
import { type TrainingInput, TrainingMismatch } from './training-contract.js';

/** Change the version whenever a training would go on differently from the same bytes. */
const FORMAT = { magic: 'GBTR', version: 1 };

/** A checkpoint: what the training is of, its settings, and all that its next step depends on. */
export class Checkpoints {
  private readonly identity: string;

  constructor(input: TrainingInput, settings: Json) {
    this.identity = canonicalJson({ kind: input.kind, base: input.served.name, input: hashOf(input), settings });
  }

  write(state: readonly ArrayBufferView[]): Uint8Array {
    return packModel(FORMAT, [new TextEncoder().encode(this.identity), ...state]);
  }

  /** Throws TrainingMismatch unless the bytes are of this input and these settings. */
  read(saved: Uint8Array): Uint8Array[] {
    const [identity, ...state] = partsOf(saved);
    if (new TextDecoder().decode(identity) !== this.identity)
      throw new TrainingMismatch('the checkpoint is of another input or of other settings');
    return state;
  }
}

function partsOf(saved: Uint8Array): Uint8Array[] {
  try {
    return unpackModel(saved, FORMAT);
  } catch (error) {
    if (error instanceof UnreadableModel) throw new TrainingMismatch(error.message);
    throw error;
  }
}

/** Covers every field that a training reads, in order. */
function hashOf({ kind, seed, documents, queries, served }: TrainingInput): string {
  const hash = createHash('sha256');
  const addJson = (value: Json) => hash.update(`${canonicalJson(value)}\n`);
  const addBytes = (view: Float32Array | Uint8Array) =>
    hash.update(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  addJson({ kind, seed, name: served.name, weight: served.weight, minSimilarity: served.minSimilarity });
  addBytes(served.adapter ?? new Uint8Array());
  for (const { id, text, terms, ownerId, createdAt, vector } of documents) {
    addJson([id, text, terms.join(' '), ownerId, createdAt]);
    addBytes(vector);
  }
  for (const { text, relevant, vector } of queries) {
    addJson([text, ...relevant]);
    addBytes(vector);
  }
  return hash.digest('hex');
}
