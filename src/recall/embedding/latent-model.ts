import { toLengthOne } from './embedder.js';
import { countKnown, dampedCount } from './latent-terms.js';
import { floatsOf, packModel, shortHash, UnreadableModel, unpackModel } from './model-bytes.js';

const FORMAT = { magic: 'GBLT', version: 1 };
export const MAX_LATENT_DIMENSIONS = 128;
/** Rows are stored as whole numbers from -127 to 127 and one scale each. */
const STEPS = 127;

/**
 * Latent semantic analysis (Deerwester and others 1990): each term has a weight (its rarity) and a row, its place among
 * the directions in which the terms of the documents vary together. A text is placed by the sum of its terms.
 */
export class LatentModel {
  private readonly numbers: ReadonlyMap<string, number>;

  private constructor(
    readonly dimensions: number,
    readonly terms: readonly string[],
    private readonly weights: Float32Array,
    private readonly scales: Float32Array,
    private readonly rows: Int8Array,
  ) {
    this.numbers = new Map(terms.map((term, number) => [term, number]));
  }

  /** `projection` has one row of `dimensions` numbers for each term. Rows are rounded, so that a model stays small. */
  static of(
    terms: readonly string[],
    weights: Float32Array,
    projection: Float32Array,
    dimensions: number,
  ): LatentModel {
    const scales = new Float32Array(terms.length);
    const rows = new Int8Array(terms.length * dimensions);
    for (let term = 0; term < terms.length; term++) {
      const row = projection.subarray(term * dimensions, (term + 1) * dimensions);
      const scale = row.reduce((high, value) => Math.max(high, Math.abs(value)), 0) / STEPS;
      scales[term] = scale;
      if (scale > 0)
        for (let at = 0; at < dimensions; at++) rows[term * dimensions + at] = Math.round((row[at] ?? 0) / scale);
    }
    return new LatentModel(dimensions, terms, weights, scales, rows);
  }

  /** Throws UnreadableModel unless the bytes are those of a complete model. */
  static read(bytes: Uint8Array): LatentModel {
    const [head, text, weights, scales, rows, ...rest] = unpackModel(bytes, FORMAT);
    const [dimensions, count] = head?.byteLength === 8 ? new Uint32Array(head.slice().buffer) : [];
    if (dimensions === undefined || count === undefined || rows === undefined || rest.length > 0)
      throw new UnreadableModel('a latent model has five parts');
    if (dimensions < 1 || dimensions > MAX_LATENT_DIMENSIONS)
      throw new UnreadableModel(`a latent model cannot have ${dimensions} dimensions`);
    const terms = count === 0 ? [] : new TextDecoder().decode(text).split('\n');
    if (terms.length !== count || new Set(terms).size !== count)
      throw new UnreadableModel(`a latent model has ${terms.length} terms in place of ${count} different ones`);
    if (rows.byteLength !== count * dimensions)
      throw new UnreadableModel(`the rows have ${rows.byteLength} bytes in place of ${count * dimensions}`);
    return new LatentModel(
      dimensions,
      terms,
      floatsOf(weights, count),
      floatsOf(scales, count),
      new Int8Array(rows.buffer, rows.byteOffset, rows.byteLength),
    );
  }

  write(): Uint8Array {
    const head = Uint32Array.of(this.dimensions, this.terms.length);
    const text = new TextEncoder().encode(this.terms.join('\n'));
    return packModel(FORMAT, [head, text, this.weights, this.scales, this.rows]);
  }

  /** A unit vector; zero for a text without a known term. A text that came later than the model is placed the same way. */
  embed(text: string): Float32Array {
    const { dimensions, rows } = this;
    const sums = new Float64Array(dimensions);
    for (const [term, count] of countKnown(text, this.numbers)) {
      const weight = dampedCount(count) * (this.weights[term] ?? 0) * (this.scales[term] ?? 0);
      const start = term * dimensions;
      for (let at = 0; at < dimensions; at++) sums[at] = (sums[at] ?? 0) + weight * (rows[start + at] ?? 0);
    }
    return toLengthOne(Float32Array.from(sums));
  }
}

/** Change the version in the name whenever the same documents would get other vectors. */
export const latentName = (bytes: Uint8Array, dimensions: number): string =>
  `latent-terms/1/${dimensions}+${shortHash(bytes)}`;
