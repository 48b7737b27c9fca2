import { compareText } from '../../platform/base/compare-text.js';
import { sumBy } from '../../platform/base/sum.js';
import { Bm25Scope, frequencyIn, type TermWeight } from './bm25-scope.js';
import { kthHighest } from './kth-highest.js';

/** `k1`: how fast repetition of a term saturates. `b`: how strongly a long text is penalised. */
interface Bm25Settings {
  readonly k1: number;
  readonly b: number;
}
/** Chosen on the retrieval benchmarks; docs/measurements/recall.md has the figures. */
export const BM25: Bm25Settings = { k1: 2, b: 0.6 };

export interface Hit {
  readonly id: string;
  readonly score: number;
}

/** A scope in a search: its documents are numbered from `offset`. */
interface NumberedScope {
  readonly scope: Bm25Scope;
  readonly offset: number;
}

interface TermPostings extends NumberedScope {
  readonly postings: Uint32Array;
}

interface QueryTerm extends TermWeight {
  readonly postings: readonly TermPostings[];
  /** Upper bound of this term's score for any document in these lists. */
  readonly bound: number;
}

/** Tolerance for rounding: a floating-point sum depends on the order of its terms. */
const SLACK = 1e-9;

/** Documents that a small index is taken to lack: a word is not common because two of three memories have it. */
const UNSEEN = 20;

/**
 * BM25 (Robertson and Zaragoza; idf as in Lucene), exact and incremental, in memory. A document belongs to one scope, and
 * a search names the scopes that the reader may see. Its statistics cover exactly these documents, so that a score reveals
 * nothing about documents of other scopes. Scores depend neither on the order of insertion nor on which other scopes are
 * held.
 */
export class Bm25Index {
  private readonly scopes = new Map<string, Bm25Scope>();
  private readonly scopeOf = new Map<string, Bm25Scope>();
  private scores = new Float64Array(1_024);
  private touched = new Int32Array(1_024);

  constructor(private readonly settings: Bm25Settings = BM25) {}

  /** The number of documents. */
  get size(): number {
    return this.scopeOf.size;
  }

  has(id: string): boolean {
    return this.scopeOf.has(id);
  }

  /** The scope that holds this document. */
  scopeHolding(id: string): string | undefined {
    return this.scopeOf.get(id)?.name;
  }

  bytesOf(scopeName: string): number {
    return this.scopes.get(scopeName)?.bytes ?? 0;
  }

  /** Adds a document and replaces the one with this id. Repeated terms count as often as they occur. */
  add(id: string, scopeName: string, terms: readonly string[]): void {
    const before = this.scopeOf.get(id);
    if (before && before.name !== scopeName) this.remove(id);
    const scope = this.scopes.get(scopeName) ?? new Bm25Scope(scopeName);
    this.scopes.set(scopeName, scope);
    scope.add(id, terms);
    this.scopeOf.set(id, scope);
  }

  /** Returns false if there is no such document. */
  remove(id: string): boolean {
    const scope = this.scopeOf.get(id);
    if (!scope) return false;
    this.scopeOf.delete(id);
    scope.remove(id);
    return true;
  }

  /** Replaces all documents of a scope by these. */
  putScope(scope: Bm25Scope): void {
    this.dropScope(scope.name);
    for (const id of scope.held) {
      this.remove(id);
      this.scopeOf.set(id, scope);
    }
    this.scopes.set(scope.name, scope);
  }

  /** Forgets all documents of a scope. */
  dropScope(name: string): void {
    for (const id of this.scopes.get(name)?.held ?? []) this.scopeOf.delete(id);
    this.scopes.delete(name);
  }

  /** Returns the `limit` best documents of these scopes that contain at least one term of the query. */
  search(
    query: ReadonlyMap<string, number>,
    scopeNames: readonly string[],
    limit: number,
  ): { readonly hits: readonly Hit[] } {
    const { scopes, documents } = this.scopesOf(scopeNames);
    if (documents === 0 || query.size === 0 || limit <= 0) return { hits: [] };
    const averageLength = sumBy(scopes, ({ length }) => length) / documents;
    const { k1, b } = this.settings;
    const base = k1 * (1 - b);
    const slope = averageLength > 0 ? (k1 * b) / averageLength : 0;
    const numbered = this.numbered(scopes);
    const terms: QueryTerm[] = [];
    for (const [term, count] of query) {
      const holding = sumBy(scopes, (scope) => scope.holding(term));
      if (holding === 0) continue;
      const weight = count * idfOf(holding, documents) * (k1 + 1);
      const share = scopes.reduce((most, scope) => Math.max(most, scope.maxTermShare(term, base, slope)), 0);
      const postings = numbered.flatMap((one) => {
        const list = one.scope.postingsOf(term);
        return list ? [{ ...one, postings: list }] : [];
      });
      terms.push({ weight, base, slope, postings, bound: weight * share });
    }
    return { hits: this.topHits(terms, numbered, limit) };
  }

  /** The idf of a term among the documents of these scopes and {@link UNSEEN} others without it. */
  rarityIn(scopeNames: readonly string[]): (term: string) => number {
    const { scopes, documents } = this.scopesOf(scopeNames);
    return (term) =>
      idfOf(
        sumBy(scopes, (scope) => scope.holding(term)),
        documents + UNSEEN,
      );
  }

  private scopesOf(names: readonly string[]) {
    const scopes = [...new Set(names)].flatMap((name) => this.scopes.get(name) ?? []);
    return { scopes, documents: sumBy(scopes, (scope) => scope.documents) };
  }

  /**
   * Processes the terms by descending upper bound. Once the remaining terms cannot lift a new document into the result,
   * they are only looked up for the documents already found (MaxScore; Turtle and Flood 1995).
   */
  private topHits(terms: readonly QueryTerm[], scopes: readonly NumberedScope[], limit: number): Hit[] {
    const byBound = [...terms].sort((x, y) => y.bound - x.bound);
    let left = sumBy(byBound, ({ bound }) => bound);
    let found = 0;
    let existingOnly = false;
    for (const term of byBound) {
      left -= term.bound;
      found = existingOnly ? this.lookUp(term, found) : this.scan(term, found);
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
      if ((this.scores[document] ?? 0) >= threshold * (1 - SLACK)) hits.push(hitOf(document, scopes, terms));
      this.scores[document] = 0;
    }
    return hits.sort((x, y) => y.score - x.score || compareText(x.id, y.id)).slice(0, limit);
  }

  private scan(term: QueryTerm, found: number): number {
    const { scores, touched } = this;
    for (const { scope, offset, postings } of term.postings)
      found = scope.scan(postings, term, { scores, touched }, offset, found);
    return found;
  }

  private lookUp({ weight, base, slope, postings }: QueryTerm, found: number): number {
    for (let i = 0; i < found; i++) {
      const at = this.touched[i] ?? 0;
      const list = postings.find(({ scope, offset }) => at >= offset && at < offset + scope.slots);
      if (!list) continue;
      const frequency = frequencyIn(list.postings, at - list.offset);
      if (frequency > 0)
        this.scores[at] =
          (this.scores[at] ?? 0) +
          (weight * frequency) / (frequency + base + slope * list.scope.lengthOf(at - list.offset));
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

  /** Numbers the documents of these scopes one after another, and makes room for their scores. */
  private numbered(scopes: readonly Bm25Scope[]): NumberedScope[] {
    let offset = 0;
    const numbered = scopes.map((scope) => {
      const one = { scope, offset };
      offset += scope.slots;
      return one;
    });
    if (offset > this.scores.length) {
      const size = Math.max(offset, this.scores.length * 2);
      this.scores = new Float64Array(size);
      this.touched = new Int32Array(size);
    }
    return numbered;
  }
}

/** The inverse document frequency of a term that `holding` of these documents hold. */
export const idfOf = (holding: number, documents: number): number =>
  Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));

/** Sums the terms in the order of the query, so that the score is identical to the last digit for every index state. */
function hitOf(at: number, scopes: readonly NumberedScope[], terms: readonly QueryTerm[]): Hit {
  const own = scopes.find(({ scope, offset }) => at >= offset && at < offset + scope.slots);
  if (!own) return { id: '', score: 0 };
  const document = at - own.offset;
  const length = own.scope.lengthOf(document);
  let score = 0;
  for (const { weight, base, slope, postings } of terms) {
    const list = postings.find(({ scope }) => scope === own.scope);
    const frequency = list ? frequencyIn(list.postings, document) : 0;
    if (frequency > 0) score += (weight * frequency) / (frequency + base + slope * length);
  }
  return { id: own.scope.idOf(document), score };
}
