import { SeededRandom } from '../src/platform/base/seeded-random.js';
import type { Collection, Document, Query } from './retrieval-data.js';

/** A query that decides nothing: it only measures. */
export interface TestQuery {
  readonly text: string;
  /** Ids that count. */
  readonly relevant: readonly string[];
  /** Relevant, but not of the documents that are measured: neither gain nor loss. */
  readonly skipped: ReadonlySet<string>;
}

export interface TestSplit {
  /** In the order in which they came. */
  readonly fitted: readonly Document[];
  /** Came after everything was learned; in the index when the test queries ask. */
  readonly later: readonly Document[];
  readonly labelled: readonly { readonly text: string; readonly relevant: readonly string[] }[];
  readonly test: readonly TestQuery[];
}

const TEST_SHARE = 0.2;

/** Parts of one shuffled list, so that `--seeds 5` tests each query once. */
const FOLDS = 5;

/** A fifth of the queries tests; every document is known. Five seeds in a row test each query exactly once. */
export function knownSplit({ documents, queries }: Collection, seed: number): TestSplit {
  const random = new SeededRandom(Math.floor((seed - 1) / FOLDS) * 7_919 + 17);
  const fold = (seed - 1) % FOLDS;
  const drawn = shuffled(queries, random);
  const [start, end] = [fold, fold + 1].map((at) => Math.round((at * drawn.length) / FOLDS));
  const rest = [...drawn.slice(0, start), ...drawn.slice(end)];
  return {
    fitted: shuffled(documents, new SeededRandom(seed * 7_919 + 23)),
    later: [],
    labelled: rest.map(plain),
    test: drawn.slice(start, end).map((query) => ({ ...plain(query), skipped: new Set() })),
  };
}

/** A fifth of the documents that are asked for comes later, and with them the queries that ask for them. */
export function laterSplit({ documents, queries }: Collection, seed: number): TestSplit {
  const random = new SeededRandom(seed * 7_919 + 29);
  const asked = new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]));
  const arrivals = shuffled(documents, random);
  const candidates = arrivals.filter(({ id }) => asked.has(id));
  const late = new Set(candidates.slice(-Math.round(TEST_SHARE * candidates.length)).map(({ id }) => id));
  const labelled: { text: string; relevant: readonly string[] }[] = [];
  const test: TestQuery[] = [];
  for (const query of queries) {
    const { text, relevant } = plain(query);
    const one = relevant[random.below(relevant.length)] ?? '';
    const [early, missing] = [relevant.filter((id) => !late.has(id)), relevant.filter((id) => late.has(id))];
    if (late.has(one)) test.push({ text, relevant: missing, skipped: new Set(early) });
    else labelled.push({ text, relevant: early });
  }
  return {
    fitted: arrivals.filter(({ id }) => !late.has(id)),
    later: arrivals.filter(({ id }) => late.has(id)),
    labelled,
    test,
  };
}

const plain = ({ text, relevant }: Query) => ({ text, relevant: [...relevant.keys()] });

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const copy = [...items];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const [one, two] = [copy[at], copy[other]];
    if (one !== undefined && two !== undefined) [copy[at], copy[other]] = [two, one];
  }
  return copy;
}
