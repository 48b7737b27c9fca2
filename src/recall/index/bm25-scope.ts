import { detached } from '../../platform/base/detached.js';

const INITIAL_DOCUMENTS = 16;
/** Removed documents below this number are kept until they are more than half of all. */
const COMPACT_FROM = 64;
/**
 * Approximate bytes of an empty scope, of a document with its id, and of a list with its term. For scopes of 20 to 50,000
 * memories of 44 words the sum was 0.9 to 1.4 times what V8's heap and its buffers grew by.
 */
const SCOPE_BYTES = 2_000;
const DOCUMENT_BYTES = 400;
const LIST_BYTES = 150;
const POSTING_BYTES = 4;

/** Scores by document number, and the numbers of the documents that have one. Shared by all scopes of a search. */
interface SearchScores {
  readonly scores: Float64Array;
  readonly touched: Int32Array;
}

/** What a term of a query adds to the score of a document that holds it `frequency` times. */
export interface TermWeight {
  readonly weight: number;
  readonly base: number;
  readonly slope: number;
}

/** The documents of one scope with their posting lists. A scope knows nothing of other scopes. */
export class Bm25Scope {
  private lists = new PostingLists();
  private dictionary = new Map<string, number>();
  private termOf: string[] = [];
  private ids: string[] = [];
  private numbers = new Map<string, number>();
  private lengths = new Uint32Array(INITIAL_DOCUMENTS);
  private alive = new Uint8Array(INITIAL_DOCUMENTS);
  /** The posting lists of each document, needed to remove it. */
  private listsOf: Uint32Array[] = [];
  /** Terms of all documents, counted as often as they occur. */
  length = 0;

  constructor(readonly name: string) {}

  get documents(): number {
    return this.numbers.size;
  }

  /** Document numbers are below this. */
  get slots(): number {
    return this.ids.length;
  }

  get held(): Iterable<string> {
    return this.numbers.keys();
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    const { slots, dictionary, lists } = this;
    return SCOPE_BYTES + slots * DOCUMENT_BYTES + dictionary.size * LIST_BYTES + lists.capacity * POSTING_BYTES;
  }

  has(id: string): boolean {
    return this.numbers.has(id);
  }

  /** Adds a document and replaces the one with this id. Repeated terms count as often as they occur. */
  add(id: string, terms: readonly string[]): void {
    this.remove(id);
    if (this.ids.length > COMPACT_FROM && this.ids.length > 2 * this.numbers.size) this.compact();
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    this.insert(id, counts, terms.length);
  }

  /** Returns false if there is no such document. */
  remove(id: string): boolean {
    const document = this.numbers.get(id);
    if (document === undefined) return false;
    this.numbers.delete(id);
    this.alive[document] = 0;
    for (const list of this.listsOf[document] ?? []) this.lists.removeOne(list);
    this.length -= this.lengths[document] ?? 0;
    return true;
  }

  /** The number of documents with this term. */
  holding(term: string): number {
    const list = this.dictionary.get(term);
    return list === undefined ? 0 : (this.lists.live[list] ?? 0);
  }

  /** The postings of a term. This is a view: the next change may move the data. */
  postingsOf(term: string): Uint32Array | undefined {
    const list = this.dictionary.get(term);
    return list === undefined ? undefined : this.lists.of(list);
  }

  /** Upper bound of the share of its weight that a term adds to a document of this scope. */
  maxTermShare(term: string, base: number, slope: number): number {
    const list = this.dictionary.get(term);
    if (list === undefined) return 0;
    const frequency = this.lists.highestFrequency[list] ?? 0;
    return frequency / (frequency + base + slope * (this.lists.shortest[list] ?? 0));
  }

  idOf(document: number): string {
    return this.ids[document] ?? '';
  }

  lengthOf(document: number): number {
    return this.lengths[document] ?? 0;
  }

  /** Adds a term's weight to every document that holds it; documents are numbered from `offset`. Returns the new `found`. */
  scan(
    postings: Uint32Array,
    by: TermWeight,
    { scores, touched }: SearchScores,
    offset: number,
    found: number,
  ): number {
    const { lengths, alive } = this;
    const { weight, base, slope } = by;
    for (let i = 0; i < postings.length; i++) {
      const posting = postings[i] ?? 0;
      const document = documentOf(posting);
      if (alive[document] === 0) continue;
      const frequency = frequencyOf(posting);
      const at = offset + document;
      const before = scores[at] ?? 0;
      if (before === 0) touched[found++] = at;
      scores[at] = before + (weight * frequency) / (frequency + base + slope * (lengths[document] ?? 0));
    }
    return found;
  }

  private insert(id: string, counts: ReadonlyMap<string, number>, length: number): void {
    const document = this.ids.length;
    if (document >= MAX_DOCUMENTS) throw new RangeError('the index is full');
    this.reserve(document);
    this.ids.push(id);
    this.numbers.set(id, document);
    this.lengths[document] = length;
    this.alive[document] = 1;
    this.length += length;
    const lists = new Uint32Array(counts.size);
    let at = 0;
    for (const [term, count] of counts) {
      const list = this.dictionary.get(term) ?? this.newList(term);
      this.lists.append(list, document, count, length);
      lists[at++] = list;
    }
    this.listsOf.push(lists);
  }

  private newList(term: string): number {
    const list = this.lists.create();
    const own = detached(term);
    this.dictionary.set(own, list);
    this.termOf[list] = own;
    return list;
  }

  private reserve(document: number): void {
    if (document < this.alive.length) return;
    const size = this.alive.length * 2;
    this.lengths = grown(this.lengths, new Uint32Array(size));
    this.alive = grown(this.alive, new Uint8Array(size));
  }

  /** Rebuilds the scope without removed documents. Runs once they are more than half of all. */
  private compact(): void {
    const { ids, lists, listsOf, lengths, alive, termOf } = this;
    this.lists = new PostingLists();
    this.dictionary = new Map();
    this.termOf = [];
    this.ids = [];
    this.numbers = new Map();
    this.listsOf = [];
    this.length = 0;
    this.lengths = new Uint32Array(lengths.length);
    this.alive = new Uint8Array(alive.length);
    for (const [document, id] of ids.entries()) {
      if (alive[document] !== 1) continue;
      const counts = new Map<string, number>();
      for (const list of listsOf[document] ?? []) counts.set(termOf[list] ?? '', frequencyIn(lists.of(list), document));
      this.insert(id, counts, lengths[document] ?? 0);
    }
  }
}

function grown<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A posting is one number: the document in the upper 24 bits, the term frequency in the lower 8. */
const MAX_DOCUMENTS = 2 ** 24;
const MAX_FREQUENCY = 255;

const documentOf = (posting: number): number => posting >>> 8;
const frequencyOf = (posting: number): number => posting & MAX_FREQUENCY;

/**
 * Growing lists of postings in one typed array, so that a hundred thousand small lists need no object each. A full list
 * moves to a block of twice the size, and the next list that needs a block of the old size reuses it.
 */
class PostingLists {
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
