import { toLengthOne } from './embedder.js';
import { floatsOf, packModel, UnreadableModel, unpackModel } from './model-bytes.js';

const FORMAT = { magic: 'GBQM', version: 1 };
const MAX_DIMENSIONS = 8_192;
const SHAPES = ['full', 'diagonal'] as const;
export type MapShape = (typeof SHAPES)[number];

/** A linear map of query vectors, y = x + Δx, scaled to length one. Stored vectors are not mapped, so they stay valid. */
export class QueryMap {
  constructor(
    readonly dimensions: number,
    readonly shape: MapShape,
    /** Full: row by input dimension. Diagonal: one number for each dimension. */
    readonly delta: Float32Array,
  ) {}

  static identity(dimensions: number, shape: MapShape): QueryMap {
    return new QueryMap(dimensions, shape, new Float32Array(sizeOf(dimensions, shape)));
  }

  /** Throws UnreadableModel unless the bytes are those of a complete map. */
  static read(bytes: Uint8Array): QueryMap {
    const [head, delta, ...rest] = unpackModel(bytes, FORMAT);
    const [dimensions, number] = head?.byteLength === 8 ? new Uint32Array(head.slice().buffer) : [];
    const shape = SHAPES[number ?? -1];
    if (dimensions === undefined || shape === undefined || rest.length > 0)
      throw new UnreadableModel('a map of queries has two parts and a known shape');
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
      throw new UnreadableModel(`a map of queries cannot have ${dimensions} dimensions`);
    return new QueryMap(dimensions, shape, floatsOf(delta, sizeOf(dimensions, shape)));
  }

  write(): Uint8Array {
    return packModel(FORMAT, [Uint32Array.of(this.dimensions, SHAPES.indexOf(this.shape)), this.delta]);
  }

  /** x + Δx, not scaled. */
  apply(x: Float32Array): Float32Array {
    const { dimensions: d, delta } = this;
    const out = x.slice();
    for (let from = 0; from < d; from++) {
      const value = x[from] ?? 0;
      if (value === 0) continue;
      if (this.shape === 'diagonal') out[from] = value + value * (delta[from] ?? 0);
      else for (let to = 0, at = from * d; to < d; to++, at++) out[to] = (out[to] ?? 0) + value * (delta[at] ?? 0);
    }
    return out;
  }

  map(x: Float32Array): Float32Array {
    if (x.length !== this.dimensions)
      throw new RangeError(`the vector has ${x.length} dimensions, the map ${this.dimensions}`);
    return toLengthOne(this.apply(x));
  }
}

const sizeOf = (dimensions: number, shape: MapShape): number =>
  shape === 'full' ? dimensions * dimensions : dimensions;
