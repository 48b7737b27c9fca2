import type { Call } from '../../learning/calls/call.js';
import { follows } from '../../learning/lessons/claim.js';
import { type Try, triesAfter, WITHIN } from '../../learning/recoveries/case.js';
import { type Random, seededRandom, shuffle } from '../statistics/seeded-random.js';
import type { OutcomeOrder } from './comparison.js';
import { type RecordedCall, type RecordedExecution, readsOf } from './recorded-execution.js';

/** Shuffles of a family, shared by its executions, and for each of these at least and at most. */
const DRAWS = { all: 2_000, least: 10, most: 1_000 } as const;
/** Failures of an execution that count, the first: a report may hold thousands, and each is drawn again and again. */
const MOST_FAILURES = 20;
const SEED = 20;

/**
 * Returns how likely the failures of a family, at other places of their executions, would be followed as often by a
 * remedy that works: outcomes are shuffled within each execution. What is ordinary work there is followed often, and needs
 * many executions; what is seen only after the failure needs few.
 */
export function chanceIn(
  executions: readonly RecordedExecution[],
  isMember: (call: RecordedCall) => boolean,
): (follow: readonly string[]) => number {
  const random = seededRandom(SEED);
  const met = executions.filter(({ calls }) => calls.some(isMember));
  const draws = Math.min(DRAWS.most, Math.max(DRAWS.least, Math.ceil(DRAWS.all / met.length)));
  const runs = met.map(({ calls }) => {
    const triesOf = triesOfMembers(calls, isMember);
    const shuffler = new OutcomeShuffler(calls.map(({ ok }) => ok));
    const seen = triesOf(Uint32Array.from(calls.keys()));
    return { seen, drawn: Array.from({ length: draws }, () => triesOf(shuffler.next(random))) };
  });
  return (follow) => {
    const isOvercome = (failures: readonly (readonly Try[])[]): boolean =>
      failures.some((tries) => tries.find((one) => follows(follow, one))?.worked === true);
    const real = runs.map(({ seen }) => isOvercome(seen));
    const shares = runs.map(({ drawn }, at) => (drawn.filter(isOvercome).length + Number(real[at])) / (draws + 1));
    return atLeast(real.filter(Boolean).length, shares);
  };
}

/**
 * The tries after each failure of the family, if its calls have their outcomes in another order. Most calls end alike, so
 * that the calls in which a try may be have the same outcomes in many draws.
 */
function triesOfMembers(calls: readonly RecordedCall[], isMember: (call: RecordedCall) => boolean) {
  const own = readsOf(calls);
  const members = calls.map((call) => isMember(call) && call.read.error.length > 0);
  const outcomes = own.map(({ ok, ended, failed, error, said, ofFilter }) => ({
    ok,
    ended,
    failed,
    error,
    said,
    ofFilter,
  }));
  const texts = outcomes.map((one) => JSON.stringify([one, ...one.said]));
  const kinds = new Map(texts.map((text, at) => [text, at]));
  const known = new Map<string, readonly Try[]>();
  return (order: OutcomeOrder): (readonly Try[])[] =>
    [...own.keys()]
      .filter((at) => members[order[at] ?? at])
      .slice(0, MOST_FAILURES)
      .map((from) => {
        const places = [...order.subarray(from, from + 1 + WITHIN)];
        const key = [from, ...places.map((at) => kinds.get(texts[at] ?? ''))].join(' ');
        const read = () =>
          own.slice(from, from + 1 + WITHIN).map((call, at) => ({ ...call, at, ...outcomes[places[at] ?? 0] }));
        const tries = known.get(key) ?? triesIn(read());
        known.set(key, tries);
        return tries;
      });
}

/** The tries after the first call whose results are known. */
const triesIn = (calls: readonly Call[]): readonly Try[] =>
  calls.slice(0, 1).flatMap((failed) => triesAfter(calls, failed).filter(({ worked }) => worked !== undefined));

/** How likely at least so many of independent events happen, by the probability of each. */
function atLeast(many: number, probabilities: readonly number[]): number {
  let fewer = [1, ...Array.from({ length: many }, () => 0)];
  for (const p of probabilities)
    fewer = fewer.map((one, k) =>
      k === many ? one + p * (fewer[k - 1] ?? 0) : one * (1 - p) + p * (fewer[k - 1] ?? 0),
    );
  return fewer[many] ?? 1;
}

/** Draws orders of the outcomes of one execution. Outcomes that are unknown stay where they are. */
export class OutcomeShuffler {
  private readonly places: Uint32Array;
  private readonly drawn: Uint32Array;
  private readonly order: Uint32Array;

  constructor(known: readonly (boolean | undefined)[]) {
    this.order = Uint32Array.from(known.keys());
    this.places = this.order.filter((at) => known[at] !== undefined);
    this.drawn = this.places.slice();
  }

  /** The next order. It is valid until the next draw. */
  next(random: Random): OutcomeOrder {
    this.drawn.set(this.places);
    shuffle(this.drawn, random);
    for (let at = 0; at < this.places.length; at++) {
      const [place, outcome] = [this.places[at], this.drawn[at]];
      if (place !== undefined && outcome !== undefined) this.order[place] = outcome;
    }
    return this.order;
  }
}
