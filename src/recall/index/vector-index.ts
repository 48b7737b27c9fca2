import { compareText } from '../../platform/base/compare-text.js';
import { sumBy } from '../../platform/base/sum.js';
import { kthHighest } from './kth-highest.js';

export interface VectorHit {
  readonly id: string;
  /** Cosine, in [-1, 1]. */
  readonly similarity: number;
}

interface Block {
  readonly ids: string[];
  vectors: Float32Array;
}

const INITIAL_CAPACITY = 64;
/** Vectors of a new group: most groups are small. */
const INITIAL_ROWS = 8;
/** Approximate bytes of a memory with its id and its place, without its vector. */
const ENTRY_BYTES = 300;

/**
 * Unit vectors by group, in one typed array each. A search compares the query with every vector that the reader may see,
 * so the result is exact and does not depend on vectors of other groups.
 */
export class VectorIndex {
  private readonly blocks = new Map<string, Block>();
  private readonly locations = new Map<string, { readonly block: Block; readonly group: string; row: number }>();
  private scores = new Float64Array(INITIAL_CAPACITY);
  private rows = new Int32Array(INITIAL_CAPACITY);

  constructor(readonly dimensions: number) {}

  get size(): number {
    return this.locations.size;
  }

  /** The number of vectors of a group. */
  sizeOf(group: string): number {
    return this.blocks.get(group)?.ids.length ?? 0;
  }

  /** Approximate bytes of a group in memory. */
  bytesOf(group: string): number {
    const block = this.blocks.get(group);
    return block === undefined ? 0 : block.vectors.byteLength + block.ids.length * ENTRY_BYTES;
  }

  groupHolding(id: string): string | undefined {
    return this.locations.get(id)?.group;
  }

  dropGroup(group: string): void {
    for (const id of this.blocks.get(group)?.ids ?? []) this.locations.delete(id);
    this.blocks.delete(group);
  }

  /** Adds or replaces a vector. Throws RangeError for a different number of dimensions. */
  put(id: string, group: string, vector: Float32Array): void {
    if (vector.length !== this.dimensions)
      throw new RangeError(`the vector has ${vector.length} dimensions, the index ${this.dimensions}`);
    this.remove(id);
    const block = this.block(group);
    const row = block.ids.push(id) - 1;
    const end = (row + 1) * this.dimensions;
    if (end > block.vectors.length) {
      const larger = new Float32Array(block.vectors.length * 2);
      larger.set(block.vectors);
      block.vectors = larger;
    }
    block.vectors.set(vector, row * this.dimensions);
    this.locations.set(id, { block, group, row });
  }

  /** Removes a vector; the last vector of its group fills the gap. Returns false if there is no such vector. */
  remove(id: string): boolean {
    const location = this.locations.get(id);
    if (!location) return false;
    this.locations.delete(id);
    const { block, group, row } = location;
    const lastRow = block.ids.length - 1;
    const last = block.ids.pop();
    if (last !== undefined && last !== id) {
      block.ids[row] = last;
      block.vectors.copyWithin(row * this.dimensions, lastRow * this.dimensions, (lastRow + 1) * this.dimensions);
      const moved = this.locations.get(last);
      if (moved) moved.row = row;
    }
    if (lastRow === 0) this.blocks.delete(group);
    return true;
  }

  /** Returns the nearest vectors of these groups with a cosine of at least `floor`, nearest first; ties by id. */
  search(query: Float32Array, groups: readonly string[], limit: number, floor: number): VectorHit[] {
    if (query.length !== this.dimensions || limit <= 0) return [];
    const blocks = [...new Set(groups)].flatMap((group) => this.blocks.get(group) ?? []);
    this.reserve(sumBy(blocks, ({ ids }) => ids.length));
    const ids: string[] = [];
    for (const block of blocks)
      for (const [row, id] of block.ids.entries()) {
        const score = this.cosine(query, block.vectors, row * this.dimensions);
        if (score < floor) continue;
        this.rows[ids.length] = ids.length;
        this.scores[ids.length] = score;
        ids.push(id);
      }
    const threshold = ids.length > limit ? kthHighest(this.scores, this.rows, ids.length, limit) : floor;
    const hits: VectorHit[] = [];
    for (const [at, id] of ids.entries()) {
      const similarity = this.scores[at] ?? 0;
      if (similarity >= threshold) hits.push({ id, similarity });
    }
    return hits.sort((x, y) => y.similarity - x.similarity || compareText(x.id, y.id)).slice(0, limit);
  }

  /** The cosines of each of the texts with up to `most` vectors of these groups. */
  cosinesOf(texts: readonly Float32Array[], groups: readonly string[], most: number): number[] {
    const rows = groups.flatMap((group) => {
      const block = this.blocks.get(group);
      return block ? block.ids.slice(0, most).map((_, row) => ({ block, row })) : [];
    });
    return rows
      .slice(0, most)
      .flatMap(({ block, row }) => texts.map((text) => this.cosine(text, block.vectors, row * this.dimensions)));
  }

  /** Four independent sums let the processor compute in parallel. */
  private cosine(query: Float32Array, vectors: Float32Array, start: number): number {
    let [a, b, c, d] = [0, 0, 0, 0];
    const whole = this.dimensions - (this.dimensions % 4);
    for (let at = 0; at < whole; at += 4) {
      a += (query[at] ?? 0) * (vectors[start + at] ?? 0);
      b += (query[at + 1] ?? 0) * (vectors[start + at + 1] ?? 0);
      c += (query[at + 2] ?? 0) * (vectors[start + at + 2] ?? 0);
      d += (query[at + 3] ?? 0) * (vectors[start + at + 3] ?? 0);
    }
    for (let at = whole; at < this.dimensions; at++) a += (query[at] ?? 0) * (vectors[start + at] ?? 0);
    return a + b + c + d;
  }

  private block(group: string): Block {
    const known = this.blocks.get(group);
    if (known) return known;
    const block: Block = { ids: [], vectors: new Float32Array(INITIAL_ROWS * this.dimensions) };
    this.blocks.set(group, block);
    return block;
  }

  private reserve(count: number): void {
    if (count <= this.scores.length) return;
    this.scores = new Float64Array(count * 2);
    this.rows = new Int32Array(count * 2);
  }
}
