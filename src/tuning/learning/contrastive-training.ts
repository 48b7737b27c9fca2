import type { SeededRandom } from '../../platform/base/seeded-random.js';
import { type MapShape, QueryMap } from '../../recall/embedding/query-map.js';

export interface Pair {
  readonly query: Float32Array;
  readonly document: number;
  /** Documents that are no negatives of this query. */
  readonly relevant: ReadonlySet<number>;
  /** What the words find for this query and is not relevant. */
  readonly hardNegatives: readonly number[];
}

const BATCH = 32;
const HARD_NEGATIVES = 4;
const TEMPERATURE = 0.05;
const RATES: Readonly<Record<MapShape, number>> = { full: 2e-4, diagonal: 1e-2 };
/** Decoupled decay: each step takes rate × pull of the map away. */
const PULL = 0.3;
/** Adam (Kingma and Ba 2015). */
const [BETA1, BETA2, EPSILON] = [0.9, 0.999, 1e-8];

/** Two trainings with other settings do not continue each other. */
export const CONTRASTIVE_SETTINGS = {
  batch: BATCH,
  hardNegatives: HARD_NEGATIVES,
  temperature: TEMPERATURE,
  rates: { full: RATES.full, diagonal: RATES.diagonal },
  pull: PULL,
};

interface Drawn {
  readonly pair: Pair;
  readonly hard: readonly number[];
}

/**
 * Learns a map of queries by InfoNCE (van den Oord and others 2018): a query comes near to its document and away from the
 * documents of the other queries of its batch and from what shares its words alone.
 */
export class ContrastiveTraining {
  readonly map: QueryMap;
  readonly first: Float32Array;
  readonly second: Float32Array;
  private readonly gradient: Float32Array;
  private taken = 0;

  constructor(
    dimensions: number,
    shape: MapShape,
    private readonly documents: readonly Float32Array[],
    private readonly pairs: readonly Pair[],
    private readonly random: SeededRandom,
    from?: {
      readonly steps: number;
      readonly delta: Float32Array;
      readonly first: Float32Array;
      readonly second: Float32Array;
    },
  ) {
    this.map = from ? new QueryMap(dimensions, shape, from.delta) : QueryMap.identity(dimensions, shape);
    this.first = from?.first ?? new Float32Array(this.map.delta.length);
    this.second = from?.second ?? new Float32Array(this.map.delta.length);
    this.gradient = new Float32Array(this.map.delta.length);
    this.taken = from?.steps ?? 0;
  }

  get steps(): number {
    return this.taken;
  }

  /** One batch of pairs, drawn with replacement. Returns the mean loss. */
  step(): number {
    this.gradient.fill(0);
    const batch = Array.from({ length: BATCH }, () => this.draw());
    let loss = 0;
    for (const drawn of batch) loss += this.learn(drawn, batch);
    this.update();
    return loss / BATCH;
  }

  private draw(): Drawn {
    const pair = this.pairs[this.random.below(this.pairs.length)];
    if (!pair) throw new RangeError('there are no pairs to learn from');
    const pool = pair.hardNegatives;
    const hard = Array.from(
      { length: pool.length === 0 ? 0 : HARD_NEGATIVES },
      () => pool[this.random.below(pool.length)] ?? 0,
    );
    return { pair, hard };
  }

  /** Adds the gradient of one query to that of the batch. Returns its loss. */
  private learn({ pair, hard }: Drawn, batch: readonly Drawn[]): number {
    const unit = this.map.apply(pair.query);
    const length = Math.sqrt(dot(unit, unit)) || 1;
    for (let at = 0; at < unit.length; at++) unit[at] = (unit[at] ?? 0) / length;
    const candidates = new Set([pair.document]);
    for (const { pair: other } of batch) if (!pair.relevant.has(other.document)) candidates.add(other.document);
    for (const document of hard) candidates.add(document);
    const vectors = [...candidates].map((document) => this.documents[document] ?? unit);
    const logits = vectors.map((vector) => dot(unit, vector) / TEMPERATURE);
    const highest = Math.max(...logits);
    const powers = logits.map((logit) => Math.exp(logit - highest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const g = new Float32Array(unit.length);
    for (const [at, vector] of vectors.entries()) {
      const share = ((powers[at] ?? 0) / total - (at === 0 ? 1 : 0)) / (TEMPERATURE * BATCH);
      for (let k = 0; k < g.length; k++) g[k] = (g[k] ?? 0) + share * (vector[k] ?? 0);
    }
    this.back(pair.query, unit, length, g);
    return Math.log(total) - ((logits[0] ?? 0) - highest);
  }

  /** Through the scaling to length one, then into the map. */
  private back(x: Float32Array, unit: Float32Array, length: number, g: Float32Array): void {
    const { gradient } = this;
    const d = g.length;
    const along = dot(g, unit);
    for (let k = 0; k < d; k++) g[k] = ((g[k] ?? 0) - along * (unit[k] ?? 0)) / length;
    for (let from = 0; from < d; from++) {
      const value = x[from] ?? 0;
      if (value === 0) continue;
      if (this.map.shape === 'diagonal') gradient[from] = (gradient[from] ?? 0) + value * (g[from] ?? 0);
      else
        for (let to = 0, at = from * d; to < d; to++, at++) gradient[at] = (gradient[at] ?? 0) + value * (g[to] ?? 0);
    }
  }

  /** Adam, with the pull apart from it (Loshchilov and Hutter 2019). */
  private update(): void {
    this.taken += 1;
    const { first, second, gradient } = this;
    const { delta, shape } = this.map;
    const rate = RATES[shape];
    const correct1 = 1 - BETA1 ** this.taken;
    const correct2 = 1 - BETA2 ** this.taken;
    const keep = 1 - rate * PULL;
    for (let at = 0; at < delta.length; at++) {
      const g = gradient[at] ?? 0;
      const m = BETA1 * (first[at] ?? 0) + (1 - BETA1) * g;
      const s = BETA2 * (second[at] ?? 0) + (1 - BETA2) * g * g;
      first[at] = m;
      second[at] = s;
      delta[at] = (delta[at] ?? 0) * keep - (rate * (m / correct1)) / (Math.sqrt(s / correct2) + EPSILON);
    }
  }
}

function dot(x: Float32Array, y: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let at = 0; at < whole; at += 4) {
    a += (x[at] ?? 0) * (y[at] ?? 0);
    b += (x[at + 1] ?? 0) * (y[at + 1] ?? 0);
    c += (x[at + 2] ?? 0) * (y[at + 2] ?? 0);
    d += (x[at + 3] ?? 0) * (y[at + 3] ?? 0);
  }
  for (let at = whole; at < x.length; at++) a += (x[at] ?? 0) * (y[at] ?? 0);
  return a + b + c + d;
}
