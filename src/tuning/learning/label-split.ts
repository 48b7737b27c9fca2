import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { LabelledQuery, TrainingDocument, TrainingInput } from './training-contract.js';

/** A query of one part, with the documents that count there. */
export interface SplitQuery {
  readonly query: JudgedQuery;
  readonly relevant: readonly string[];
  /** Relevant, but of another part: neither gain nor loss, so they are left out of its rankings. */
  readonly skipped: ReadonlySet<string>;
}

export interface LabelSplit {
  /** Chooses the weight and the threshold. */
  readonly stop: readonly SplitQuery[];
  /** Decides about the deployment, and nothing else. */
  readonly gate: readonly SplitQuery[];
  /** Of the newest documents: limits the weight. */
  readonly probeChoice: readonly SplitQuery[];
  /** Of the newest documents: decides about the deployment, and nothing else. */
  readonly probe: readonly SplitQuery[];
  /** The newest documents that queries ask for. The second fit does not see them. */
  readonly unseen: ReadonlySet<string>;
}

const PROBE_SHARE = 0.2;
/** A base learns from no label. The others decide, at the gate and at the probe. */
const STOP_SHARE = 0.3;
/** More queries than these make a part slower and no verdict better. */
const MAX_STOP = 400;
const MAX_GATE = 800;
const MAX_PROBE = 400;

/** A second fit leaves the newest documents out. The probe asks for those, among all, by queries that chose nothing. */
export function splitLabels(input: TrainingInput): LabelSplit {
  const queries = judgedQueries(input);
  const asked = new Set(queries.flatMap(({ relevant }) => relevant));
  const newest = input.documents.filter(({ id }) => asked.has(id)).sort(newestFirst);
  const unseen = new Set(newest.slice(0, Math.round(PROBE_SHARE * newest.length)).map(({ id }) => id));
  const choosing = Math.round(STOP_SHARE * queries.length);
  const [stop, deciding] = [queries.slice(0, choosing), queries.slice(choosing)];
  const whole = (query: JudgedQuery) => ({ query, relevant: query.relevant, skipped: new Set<string>() });
  const ofNewest = (some: readonly JudgedQuery[]) =>
    some
      .map((query) => within(query, unseen))
      .filter(({ relevant }) => relevant.length > 0)
      .slice(0, MAX_PROBE);
  return {
    stop: stop.slice(0, MAX_STOP).map(whole),
    gate: deciding.slice(0, MAX_GATE).map(whole),
    probeChoice: ofNewest(stop),
    probe: ofNewest(deciding),
    unseen,
  };
}

const within = (query: JudgedQuery, ids: ReadonlySet<string>): SplitQuery => ({
  query,
  relevant: query.relevant.filter((id) => ids.has(id)),
  skipped: new Set(query.relevant.filter((id) => !ids.has(id))),
});

const newestFirst = (a: TrainingDocument, b: TrainingDocument): number =>
  b.createdAt - a.createdAt || compareText(a.id, b.id);

export interface JudgedQuery {
  readonly text: string;
  readonly vector: Float32Array;
  /** Ids of known documents, sorted. At least one. */
  readonly relevant: readonly string[];
}

/**
 * The labelled queries in an order that depends on the seed and the texts alone, so that a query keeps its part when others
 * come and go. The same words in another case or with other signs are one query, which the parts must not share.
 */
function judgedQueries({ documents, queries, seed }: TrainingInput): JudgedQuery[] {
  const known = new Set(documents.map(({ id }) => id));
  const byWords = new Map<string, { query: LabelledQuery; relevant: Set<string> }>();
  for (const query of queries) {
    const relevant = query.relevant.filter((id) => known.has(id));
    if (relevant.length === 0) continue;
    const words = wordsOf(query.text);
    const same = byWords.get(words) ?? { query, relevant: new Set() };
    for (const id of relevant) same.relevant.add(id);
    byWords.set(words, same);
  }
  const keyed = [...byWords].map(([words, { query, relevant }]) => ({
    key: sha256(`${seed} ${words}`),
    judged: { text: query.text, vector: query.vector, relevant: [...relevant].sort(compareText) },
  }));
  return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ judged }) => judged);
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
