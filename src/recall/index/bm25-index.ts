import { compareText } from '../../platform/base/compare-text.js';
import { kthHighest } from './kth-highest.js';
import { documentOf, frequencyIn, frequencyOf, MAX_DOCUMENTS, PostingLists } from './posting-lists.js';

/** `k1`: how fast repetition of a term saturates. `b`: how strongly a long text is penalised. */
export interface Bm25Settings {
  readonly k1: number;
  readonly b: number;
}
/** Chosen on the retrieval benchmarks; docs/measurements/recall.md has the figures. */
export const BM25: Bm25Settings = { k1: 2, b: 0.6 };

export interface Hit {
  readonly id: string;
  readonly score: number;
}

export interface Bm25Result {
  /** Sorted by score, then by id. */
  readonly hits: readonly Hit[];
  /** The mean idf of the query's terms: the score of an average term that occurs once in an average text. */
  readonly meanWeight: number;
}

interface IndexGroup {
  readonly name: string;
  readonly lists: Map<number, number>;
  documents: number;
  length: number;
}

interface QueryTerm {
  readonly weight: number;
  readonly postings: readonly Uint32Array[];
  /** Upper bound of this term's score for any document in these lists. */
  readonly bound: number;
}

/** Tolerance for rounding: a floating-point sum depends on the order of its terms. */
const SLACK = 1e-9;

/**
 * BM25 (Robertson and Zaragoza; idf as in Lucene), exact and incremental, in memory. A document belongs to one group, and
 * a search names the groups that the reader may see. Its statistics cover exactly these documents, so that a score reveals
 * nothing about documents of other groups. Scores do not depend on the order of insertion.
 */
export class Bm25Index {
  private readonly dictionary = new Map<string, number>();
  private groups = new Map<string, IndexGroup>();
  private lists = new PostingLists();
  private ids: string[] = [];
  private numbers = new Map<string, number>();
  private groupOf: IndexGroup[] = [];
  private lengths = new Uint32Array(1_024);
  private alive = new Uint8Array(1_024);
  private scores = new Float64Array(1_024);
  private touched = new Int32Array(1_024);
  private termOf: number[] = [];
  /** The posting lists of each document, needed to remove it. */
  private listsOf: Uint32Array[] = [];

  constructor(private readonly settings: Bm25Settings = BM25) {}

  get size(): number {
    return this.numbers.size;
  }

  has(id: string): boolean {
    return this.numbers.has(id);
  }

  /** Adds a document and replaces the one with this id. Repeated terms count as often as they occur. */
  add(id: string, groupName: string, terms: readonly string[]): void {
    this.remove(id);
    if (this.ids.length > 1_024 && this.ids.length > 2 * this.numbers.size) this.compact();
    const counts = new Map<number, number>();
    for (const term of terms) {
      const number = this.termNumber(term);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    this.insert(id, groupName, counts, terms.length);
  }

  private insert(id: string, groupName: string, counts: ReadonlyMap<number, number>, length: number): void {
    const document = this.ids.length;
    if (document >= MAX_DOCUMENTS) throw new RangeError('the index is full');
    this.reserve(document);
    const group = this.group(groupName);
    this.ids.push(id);
    this.numbers.set(id, document);
    this.groupOf.push(group);
    this.lengths[document] = length;
    this.alive[document] = 1;
    group.documents += 1;
    group.length += length;
    const lists = new Uint32Array(counts.size);
    let at = 0;
    for (const [term, count] of counts) {
      const list = group.lists.get(term) ?? this.newList(group, term);
      this.lists.append(list, document, count, length);
      lists[at++] = list;
    }
    this.listsOf.push(lists);
  }

  private newList(group: IndexGroup, term: number): number {
    const list = this.lists.create();
    group.lists.set(term, list);
    this.termOf[list] = term;
    return list;
  }

  /** Returns false if there is no such document. */
  remove(id: string): boolean {
    const document = this.numbers.get(id);
    if (document === undefined) return false;
    this.numbers.delete(id);
    this.alive[document] = 0;
    for (const list of this.listsOf[document] ?? []) this.lists.removeOne(list);
    const group = this.groupOf[document];
    if (group) {
      group.documents -= 1;
      group.length -= this.lengths[document] ?? 0;
    }
    return true;
  }

  /** Returns the `limit` best documents of these groups that contain at least one term of the query. */
  search(query: ReadonlyMap<string, number>, groupNames: readonly string[], limit: number): Bm25Result {
    const groups = [...new Set(groupNames)].flatMap((name) => this.groups.get(name) ?? []);
    const documents = groups.reduce((sum, group) => sum + group.documents, 0);
    if (documents === 0 || query.size === 0 || limit <= 0) return { hits: [], meanWeight: 0 };
    const averageLength = groups.reduce((sum, group) => sum + group.length, 0) / documents;
    const { k1, b } = this.settings;
    const base = k1 * (1 - b);
    const slope = averageLength > 0 ? (k1 * b) / averageLength : 0;
    let weights = 0;
    const terms: QueryTerm[] = [];
    for (const [term, count] of query) {
      const lists = this.listsFor(term, groups);
      const holding = lists.reduce((sum, list) => sum + (this.lists.live[list] ?? 0), 0);
      const idf = Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));
      weights += idf;
      const weight = count * idf * (k1 + 1);
      if (holding > 0)
        terms.push({
          weight,
          postings: lists.map((list) => this.lists.of(list)),
          bound: weight * this.maxTermShare(lists, base, slope),
        });
    }
    return { hits: this.topHits(terms, base, slope, limit), meanWeight: weights / query.size };
  }

  /**
   * Processes the terms by descending upper bound. Once the remaining terms cannot lift a new document into the result,
   * they are only looked up for the documents already found (MaxScore; Turtle and Flood 1995).
   */
  private topHits(terms: readonly QueryTerm[], base: number, slope: number, limit: number): Hit[] {
    const byBound = [...terms].sort((x, y) => y.bound - x.bound);
    let left = byBound.reduce((sum, { bound }) => sum + bound, 0);
    let found = 0;
    let existingOnly = false;
    for (const term of byBound) {
      left -= term.bound;
      found = existingOnly ? this.lookUp(term, base, slope, found) : this.scan(term, base, slope, found);
      if (found < limit || left <= 0) continue;
      const threshold = kthHighest(this.scores, this.touched, found, limit);
      if (threshold <= left * (1 + SLACK)) continue;
      existingOnly = true;
      found = this.dropBelow(threshold - left * (1 + SLACK) - SLACK, found);
    }
    const threshold = found > limit ? kthHighest(this.scores, this.touched, found, limit) : 0;
    const hits: Hit[] = [];
    for (let i = 0; i < found; i++) {
      const document = this.touched[i] ?? 0;
      if ((this.scores[document] ?? 0) >= threshold * (1 - SLACK))
        hits.push({ id: this.ids[document] ?? '', score: this.scoreOf(document, terms, base, slope) });
      this.scores[document] = 0;
    }
    return hits.sort((x, y) => y.score - x.score || compareText(x.id, y.id)).slice(0, limit);
  }

  private scan({ weight, postings }: QueryTerm, base: number, slope: number, found: number): number {
    const { scores, touched, lengths, alive } = this;
    for (const list of postings)
      for (let i = 0; i < list.length; i++) {
        const posting = list[i] ?? 0;
        const document = documentOf(posting);
        if (alive[document] === 0) continue;
        const frequency = frequencyOf(posting);
        const before = scores[document] ?? 0;
        if (before === 0) touched[found++] = document;
        scores[document] = before + (weight * frequency) / (frequency + base + slope * (lengths[document] ?? 0));
      }
    return found;
  }

  private lookUp({ weight, postings }: QueryTerm, base: number, slope: number, found: number): number {
    for (let i = 0; i < found; i++) {
      const document = this.touched[i] ?? 0;
      for (const list of postings) {
        const frequency = frequencyIn(list, document);
        if (frequency > 0)
          this.scores[document] =
            (this.scores[document] ?? 0) +
            (weight * frequency) / (frequency + base + slope * (this.lengths[document] ?? 0));
      }
    }
    return found;
  }

  private dropBelow(score: number, found: number): number {
    let kept = 0;
    for (let i = 0; i < found; i++) {
      const document = this.touched[i] ?? 0;
      if ((this.scores[document] ?? 0) >= score) this.touched[kept++] = document;
      else this.scores[document] = 0;
    }
    return kept;
  }

  /** Sums the terms in the order of the query, so that the score is identical to the last digit for every index state. */
  private scoreOf(document: number, terms: readonly QueryTerm[], base: number, slope: number): number {
    let score = 0;
    for (const { weight, postings } of terms)
      for (const list of postings) {
        const frequency = frequencyIn(list, document);
        if (frequency > 0) score += (weight * frequency) / (frequency + base + slope * (this.lengths[document] ?? 0));
      }
    return score;
  }

  private maxTermShare(lists: readonly number[], base: number, slope: number): number {
    let share = 0;
    for (const list of lists) {
      const frequency = this.lists.highestFrequency[list] ?? 0;
      share = Math.max(share, frequency / (frequency + base + slope * (this.lists.shortest[list] ?? 0)));
    }
    return share;
  }

  private listsFor(term: string, groups: readonly IndexGroup[]): number[] {
    const number = this.dictionary.get(term);
    return number === undefined ? [] : groups.flatMap(({ lists }) => lists.get(number) ?? []);
  }

  private termNumber(term: string): number {
    const known = this.dictionary.get(term);
    if (known !== undefined) return known;
    const number = this.dictionary.size;
    this.dictionary.set(term, number);
    return number;
  }

  private group(name: string): IndexGroup {
    const known = this.groups.get(name);
    if (known) return known;
    const group: IndexGroup = { name, lists: new Map(), documents: 0, length: 0 };
    this.groups.set(name, group);
    return group;
  }

  private reserve(document: number): void {
    if (document < this.alive.length) return;
    const size = this.alive.length * 2;
    this.lengths = grown(this.lengths, new Uint32Array(size));
    this.alive = grown(this.alive, new Uint8Array(size));
    this.scores = new Float64Array(size);
    this.touched = new Int32Array(size);
  }

  /** Rebuilds the index without removed documents. Runs once they are more than half of all. */
  private compact(): void {
    const { ids, lists, listsOf, groupOf, lengths, alive, termOf } = this;
    this.groups = new Map();
    this.lists = new PostingLists();
    this.termOf = [];
    this.ids = [];
    this.numbers = new Map();
    this.groupOf = [];
    this.listsOf = [];
    this.lengths = new Uint32Array(lengths.length);
    this.alive = new Uint8Array(alive.length);
    for (const [document, id] of ids.entries()) {
      if (alive[document] !== 1) continue;
      const counts = new Map<number, number>();
      for (const list of listsOf[document] ?? []) counts.set(termOf[list] ?? -1, frequencyIn(lists.of(list), document));
      this.insert(id, groupOf[document]?.name ?? '', counts, lengths[document] ?? 0);
    }
  }
}

function grown<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
