/** A posting is one number: the document in the upper 24 bits, the term frequency in the lower 8. */
export const MAX_DOCUMENTS = 2 ** 24;
const MAX_FREQUENCY = 255;

export const documentOf = (posting: number): number => posting >>> 8;
export const frequencyOf = (posting: number): number => posting & MAX_FREQUENCY;

/**
 * Growing lists of postings in one typed array, so that a hundred thousand small lists need no object each. A full list
 * moves to a block of twice the size, and the next list that needs a block of the old size reuses it.
 */
export class PostingLists {
  private postings = new Uint32Array(256);
  private used = 0;
  private readonly starts: number[] = [];
  private readonly lengths: number[] = [];
  private readonly capacities: number[] = [];
  private readonly free = new Map<number, number[]>();
  /** The highest frequency and the shortest document of each list. They bound its scores from above. */
  readonly highestFrequency: number[] = [];
  readonly shortest: number[] = [];
  /** The number of documents in the list that have not been removed. */
  readonly live: number[] = [];

  /** Postings for which there is room. */
  get capacity(): number {
    return this.postings.length;
  }

  create(): number {
    this.starts.push(this.allocate(1));
    this.lengths.push(0);
    this.capacities.push(1);
    this.highestFrequency.push(0);
    this.shortest.push(Number.POSITIVE_INFINITY);
    return this.live.push(0) - 1;
  }

  /** Appends a posting. Documents must arrive in ascending order. */
  append(list: number, document: number, count: number, documentLength: number): void {
    const length = this.lengths[list] ?? 0;
    if (length === this.capacities[list]) this.grow(list, length);
    const frequency = Math.min(count, MAX_FREQUENCY);
    this.postings[(this.starts[list] ?? 0) + length] = ((document << 8) | frequency) >>> 0;
    this.lengths[list] = length + 1;
    this.live[list] = (this.live[list] ?? 0) + 1;
    this.highestFrequency[list] = Math.max(this.highestFrequency[list] ?? 0, frequency);
    this.shortest[list] = Math.min(this.shortest[list] ?? documentLength, documentLength);
  }

  removeOne(list: number): void {
    this.live[list] = (this.live[list] ?? 1) - 1;
  }

  /** The postings of a list, sorted by document. This is a view: the next append may move the data. */
  of(list: number): Uint32Array {
    const start = this.starts[list] ?? 0;
    return this.postings.subarray(start, start + (this.lengths[list] ?? 0));
  }

  private grow(list: number, capacity: number): void {
    const start = this.starts[list] ?? 0;
    const moved = this.allocate(capacity * 2);
    this.postings.copyWithin(moved, start, start + capacity);
    const freed = this.free.get(capacity);
    if (freed) freed.push(start);
    else this.free.set(capacity, [start]);
    this.starts[list] = moved;
    this.capacities[list] = capacity * 2;
  }

  private allocate(size: number): number {
    const reused = this.free.get(size)?.pop();
    if (reused !== undefined) return reused;
    const start = this.used;
    this.used += size;
    if (this.used > this.postings.length) {
      const larger = new Uint32Array(Math.max(this.used, this.postings.length * 2));
      larger.set(this.postings);
      this.postings = larger;
    }
    return start;
  }
}

/** The term frequency in the document; 0 if the list does not contain the document. */
export function frequencyIn(postings: Uint32Array, document: number): number {
  let low = 0;
  let high = postings.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const posting = postings[middle] ?? 0;
    const found = documentOf(posting);
    if (found === document) return frequencyOf(posting);
    if (found < document) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
