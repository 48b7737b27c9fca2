import { createHash } from 'node:crypto';

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

const digest = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Hashes the raw bytes of a leaf: here the 32 bytes of an entry's hash. */
export const leafHash = (leaf: Uint8Array): string => digest(LEAF, leaf);

const nodeHash = (left: string, right: string): string =>
  digest(NODE, Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));

/**
 * The Merkle tree of RFC 6962 §2.1 over the hashes of the entries. A signed root covers all of them, and a proof that
 * it covers one of them takes log₂(size) hashes. All hashes are 64 hex digits. Stores the roots of the full subtrees,
 * largest first, so that the tree can grow without reading the journal from its start.
 */
export class Frontier {
  private constructor(
    private count: number,
    private readonly roots: string[],
  ) {}

  static empty(): Frontier {
    return new Frontier(0, []);
  }

  /** Returns undefined if a tree of `size` leaves has a different number of full subtrees. */
  static of(size: number, roots: readonly string[]): Frontier | undefined {
    return bits(size) === roots.length ? new Frontier(size, [...roots]) : undefined;
  }

  get size(): number {
    return this.count;
  }

  get subtrees(): readonly string[] {
    return this.roots;
  }

  /** `entryHash` as 64 hex digits. */
  append(entryHash: string): void {
    this.appendLeaf(leafHash(Buffer.from(entryHash, 'hex')));
  }

  appendLeaf(hash: string): void {
    let merged = hash;
    for (let rest = this.count; rest % 2 === 1; rest = Math.floor(rest / 2))
      merged = nodeHash(this.roots.pop() ?? '', merged);
    this.roots.push(merged);
    this.count += 1;
  }

  root(): string {
    return (
      this.roots.reduceRight<string | undefined>((right, left) => (right ? nodeHash(left, right) : left), undefined) ??
      digest()
    );
  }
}

/**
 * Returns the ranges of leaves, `[from, to)`, whose roots prove that leaf `index` is in a tree of `size`, from the leaf
 * up, in the order of RFC 6962 §2.1.1. Throws RangeError if there is no such leaf.
 */
export function proofRanges(index: number, size: number): (readonly [number, number])[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`there is no leaf ${index} in a tree of ${size}`);
  const ranges: (readonly [number, number])[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    ranges.push(index < middle ? [middle, to] : [from, middle]);
    if (index < middle) to = middle;
    else from = middle;
  }
  return ranges.reverse();
}

/** True if `path` leads from the entry at `index` to the root of a tree of `size` (RFC 9162 §2.1.3.2). */
export function isIncluded(
  entryHash: string,
  index: number,
  size: number,
  path: readonly string[],
  root: string,
): boolean {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size)) return false;
  const ranges = proofRanges(index, size);
  if (ranges.length !== path.length) return false;
  const reached = ranges.reduce(
    (hash, [from], step) => (from > index ? nodeHash(hash, path[step] ?? '') : nodeHash(path[step] ?? '', hash)),
    leafHash(Buffer.from(entryHash, 'hex')),
  );
  return reached === root;
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function bits(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}
