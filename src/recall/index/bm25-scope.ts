import { detached } from '../../platform/base/detached.js';
import { documentOf, frequencyIn, frequencyOf, MAX_DOCUMENTS, PostingLists } from './posting-lists.js';

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
export interface SearchScores {
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
