import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { cut, type JudgedQuery, judgedQueries } from './judged-queries.js';
import type { TrainingDocument, TrainingInput } from './training-contract.js';

/** A query of one part, with the documents that count there. */
export interface SplitQuery {
  readonly query: JudgedQuery;
  readonly relevant: readonly string[];
  /** Relevant, but of another part: neither gain nor loss, so they are left out of its rankings. */
  readonly skipped: ReadonlySet<string>;
}

export interface LabelSplit {
  /** Only these queries teach a map. */
  readonly train: readonly SplitQuery[];
  /** Chooses when to stop, the weight and the threshold. */
  readonly stop: readonly SplitQuery[];
  /** Decides about the deployment, and nothing else. */
  readonly gate: readonly SplitQuery[];
  /** Of documents without pairs: limits the weight. */
  readonly probeChoice: readonly SplitQuery[];
  /** Of other documents without pairs: decides about the deployment, and nothing else. */
  readonly probe: readonly SplitQuery[];
  /** Documents that no step of a training sees. */
  readonly unseen: ReadonlySet<string>;
}

const KNOWN_SHARES = [0.6, 0.2, 0.2];
const PROBE_SHARE = 0.2;
/** Of the labelled queries of a base, which learns from no label. The others decide, at the gate and at the probe. */
const BASE_STOP_SHARE = 0.3;
/** More queries than these make a part slower and no verdict better. */
const MAX_STOP = 400;
const MAX_GATE = 800;
const MAX_PROBE = 400;

export function splitLabels(input: TrainingInput): LabelSplit {
  return input.kind === 'base' ? splitForBase(input) : splitForAdapter(input);
}

/** A second fit leaves the newest documents out. The probe asks for those, among all, by queries that chose nothing. */
function splitForBase(input: TrainingInput): LabelSplit {
  const queries = judgedQueries(input);
  const [newest = []] = cut(askedFor(input.documents, queries), [PROBE_SHARE, 1]);
  const unseen = new Set(newest);
  const [stop = [], deciding = []] = cut(queries, [BASE_STOP_SHARE, 1]);
  const whole = (query: JudgedQuery) => ({ query, relevant: query.relevant, skipped: new Set<string>() });
  const ofNewest = (some: readonly JudgedQuery[]) =>
    some.map((query) => within(query, unseen)).filter(({ relevant }) => relevant.length > 0);
  return {
    train: [],
    stop: stop.slice(0, MAX_STOP).map(whole),
    gate: deciding.slice(0, MAX_GATE).map(whole),
    probeChoice: ofNewest(stop).slice(0, MAX_PROBE),
    probe: ofNewest(deciding).slice(0, MAX_PROBE),
    unseen,
  };
}

/** The documents that queries ask for, the newest first. */
function askedFor(documents: readonly TrainingDocument[], queries: readonly JudgedQuery[]): string[] {
  const asked = new Set(queries.flatMap(({ relevant }) => relevant));
  return documents
    .filter(({ id }) => asked.has(id))
    .sort(newestFirst)
    .map(({ id }) => id);
}

/** The newest fifth of the documents that queries ask for gives no pairs: it stands for documents that will come later. */
function splitForAdapter(input: TrainingInput): LabelSplit {
  const shared = new Set(input.documents.filter(({ ownerId }) => ownerId === null).map(({ id }) => id));
  const queries = judgedQueries(input).filter(({ relevant }) => relevant.some((id) => shared.has(id)));
  const newest = askedFor(input.documents, queries).filter((id) => shared.has(id));
  const [unseen = [], known = []] = cut(newest, [PROBE_SHARE, 1]);
  const [choice, probe] = [unseen.filter((_, at) => at % 2 === 0), unseen.filter((_, at) => at % 2 === 1)];
  const parts = [known, choice, probe].map((ids) => ({ ids: new Set(ids), queries: [] as SplitQuery[] }));
  for (const query of queries) {
    const candidates = query.relevant.filter((id) => shared.has(id));
    const one = candidates[pick(input.seed, query.text, candidates.length)] ?? '';
    const part = parts.find(({ ids }) => ids.has(one));
    part?.queries.push(within(query, part.ids));
  }
  const [ofKnown = [], ofChoice = [], ofProbe = []] = parts.map((part) => part.queries);
  const [train = [], stop = [], gate = []] = cut(ofKnown, KNOWN_SHARES);
  return {
    train,
    stop: stop.slice(0, MAX_STOP),
    gate: gate.slice(0, MAX_GATE),
    probeChoice: ofChoice.slice(0, MAX_PROBE),
    probe: ofProbe.slice(0, MAX_PROBE),
    unseen: new Set([...unseen, ...input.documents.flatMap(({ id, ownerId }) => (ownerId === null ? [] : [id]))]),
  };
}

const within = (query: JudgedQuery, ids: ReadonlySet<string>): SplitQuery => ({
  query,
  relevant: query.relevant.filter((id) => ids.has(id)),
  skipped: new Set(query.relevant.filter((id) => !ids.has(id))),
});

const pick = (seed: number, text: string, count: number): number =>
  Number.parseInt(sha256(`${seed} one of ${text}`).slice(0, 8), 16) % Math.max(1, count);

const newestFirst = (a: TrainingDocument, b: TrainingDocument): number =>
  b.createdAt - a.createdAt || compareText(a.id, b.id);
