import { floatsOf, UnreadableModel } from '../../recall/embedding/model-bytes.js';
import { type MapShape, QueryMap } from '../../recall/embedding/query-map.js';
import type { ContrastiveTraining } from './contrastive-training.js';
import { TrainingMismatch } from './training-contract.js';

/** The best map of one shape so far, by nDCG@10 of the vectors on the stop queries. Step 0 is the identity. */
export interface BestMap {
  readonly step: number;
  readonly score: number;
  readonly map: QueryMap;
}

/** All that the next step of a map's training depends on. */
export interface ShapeState {
  readonly steps: number;
  readonly random: number;
  readonly delta: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly best: BestMap;
}

/** The shapes that are ready, in order, and the one that is being trained. */
export interface AdapterState {
  finished: BestMap[];
  /** The training itself, so that a checkpoint costs a copy only when it is asked for. */
  current?: { readonly training: ContrastiveTraining; readonly random: { readonly state: number }; best: BestMap };
  /** Where a resumed training goes on. */
  resumed?: ShapeState;
}

export function writeState({ finished, current, resumed }: AdapterState): ArrayBufferView[] {
  const parts = [Uint32Array.of(finished.length), ...finished.flatMap(bestParts)];
  if (current) {
    const { training, random, best } = current;
    const numbers = Uint32Array.of(training.steps, random.state);
    return [...parts, numbers, training.map.delta, training.first, training.second, ...bestParts(best)];
  }
  if (!resumed) return parts;
  const numbers = Uint32Array.of(resumed.steps, resumed.random);
  return [...parts, numbers, resumed.delta, resumed.first, resumed.second, ...bestParts(resumed.best)];
}

const bestParts = ({ step, score, map }: BestMap): ArrayBufferView[] => [Float64Array.of(step, score), map.delta];

export function readState(parts: readonly Uint8Array[], dimensions: number, shapes: readonly MapShape[]): AdapterState {
  try {
    const reader = new PartReader(parts, dimensions);
    const [count = 0] = reader.words(1);
    if (count > shapes.length) throw new TrainingMismatch(`the checkpoint has ${count} finished shapes`);
    const finished = shapes.slice(0, count).map((shape) => reader.best(shape));
    const shape = shapes[count];
    return { finished, ...(reader.done || !shape ? {} : { resumed: reader.shape(shape) }) };
  } catch (error) {
    if (error instanceof UnreadableModel) throw new TrainingMismatch(error.message);
    throw error;
  }
}

class PartReader {
  private at = 0;

  constructor(
    private readonly parts: readonly Uint8Array[],
    private readonly dimensions: number,
  ) {}

  get done(): boolean {
    return this.at === this.parts.length;
  }

  words(count: number): Uint32Array {
    const part = this.next(count * 4);
    return new Uint32Array(part.slice().buffer);
  }

  shape(shape: MapShape): ShapeState {
    const [steps = 0, random = 0] = this.words(2);
    const [delta, first, second] = [this.floats(shape), this.floats(shape), this.floats(shape)];
    return { steps, random, delta, first, second, best: this.best(shape) };
  }

  best(shape: MapShape): BestMap {
    const [step = 0, score = 0] = new Float64Array(this.next(16).slice().buffer);
    return { step, score, map: new QueryMap(this.dimensions, shape, this.floats(shape)) };
  }

  private floats(shape: MapShape): Float32Array {
    const count = shape === 'full' ? this.dimensions ** 2 : this.dimensions;
    return floatsOf(this.next(count * 4), count);
  }

  private next(bytes: number): Uint8Array {
    const part = this.parts[this.at++];
    if (part?.byteLength !== bytes) throw new TrainingMismatch('a part of the checkpoint has another length');
    return part;
  }
}
