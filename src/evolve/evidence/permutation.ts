import { groupsOf } from '../../platform/base/sum.js';
import type { Stratum } from '../statistics/mantel-haenszel.js';
import { newcombe, type Tries } from '../statistics/newcombe.js';
import { type Random, seededRandom, shuffle } from '../statistics/seeded-random.js';
import { armsOfTries, type Entrant, type Figures } from './comparison.js';
import { OutcomeShuffler } from './shuffle.js';
import type { Tried } from './tried.js';
import { MAX_P_WITHIN, permutationHolds } from './verdict.js';

/** Shuffles of a test that is not decided earlier. */
const DRAWS = 999;

/** Shuffles that look as good, at which a test ends: no further ones can make it hold. */
const ENOUGH_AS_GOOD = Math.ceil(MAX_P_WITHIN * (DRAWS + 1));

const SEED = 20;

/** What entrants tried with shuffled outcomes, by their places. */
type Draw = readonly Tried[];

/** How good a comparison looks: the lower end of its interval, which grows with the difference and with the tries. */
const scoreOf = (arms: Stratum): number => newcombe(arms.with, arms.without)?.low ?? Number.NEGATIVE_INFINITY;

/**
 * Returns the share of shuffles that look as good as the comparison, itself included. Ends as soon as the test cannot
 * hold any more (J. Besag and P. Clifford 1991), so that a poor candidate costs little.
 */
export function permutationShare(figures: Figures, entrants: readonly Entrant[]): number {
  const score = scoreOf(figures);
  let [drawn, asGood] = [0, 0];
  for (const tries of drawsOf(figures.kind, entrants)) {
    drawn++;
    if (scoreOf(armsOfTries(tries)) < score) continue;
    asGood++;
    if (asGood === ENOUGH_AS_GOOD) return asGood / drawn;
  }
  return (asGood + 1) / (drawn + 1);
}

/** Returns a test that repeats a comparison without some of its entrants, by their places, and with one set of draws. */
export function permutationWithout(
  kind: Figures['kind'],
  entrants: readonly Entrant[],
): (places: readonly number[], figures: Figures) => boolean {
  const draws = [...drawsOf(kind, entrants)].map((tries) => ({ tries, all: armsOfTries(tries) }));
  return (places, figures) => {
    const score = scoreOf(figures);
    let asGood = 0;
    for (const { tries, all } of draws) {
      const own = armsOfTries(places.map((at) => tries[at] ?? {}));
      if (scoreOf({ with: less(all.with, own.with), without: less(all.without, own.without) }) >= score) asGood++;
      if (!permutationHolds((asGood + 1) / (draws.length + 1))) return false;
    }
    return true;
  };
}

const less = (all: Tries, own: Tries): Tries => ({
  worked: all.worked - own.worked,
  n: all.n - own.n,
});

/**
 * Repeats a comparison with outcomes shuffled within each execution; whole executions with judgements shuffled within
 * their agents. Entrants must be in an order of their own (by id), so that the result does not depend on the input's.
 */
function* drawsOf(kind: Figures['kind'], entrants: readonly Entrant[]): Generator<Draw> {
  const random = seededRandom(SEED);
  const draw = kind === 'execution' ? judgementsOf(entrants) : outcomesOf(entrants);
  for (let drawn = 0; drawn < DRAWS; drawn++) yield draw(random);
}

function outcomesOf(entrants: readonly Entrant[]): (random: Random) => Draw {
  const shuffled = entrants.map(({ known, arms }) => ({ shuffler: new OutcomeShuffler(known), arms }));
  return (random) => shuffled.map(({ shuffler, arms }) => arms(shuffler.next(random)));
}

function judgementsOf(entrants: readonly Entrant[]): (random: Random) => Draw {
  const byAgent = groupsOf(entrants.keys(), (at) => entrants[at]?.agentId);
  return (random) => {
    const draw: Tried[] = entrants.map(() => ({}));
    for (const places of byAgent.values()) {
      const drawn = [...places];
      shuffle(drawn, random);
      for (const [index, at] of places.entries()) {
        const own = entrants[at]?.tried ?? {};
        const other = entrants[drawn[index] ?? at]?.tried ?? {};
        const worked = other.with ?? other.without;
        if (worked !== undefined) draw[at] = own.with === undefined ? { without: worked } : { with: worked };
      }
    }
    return draw;
  };
}
