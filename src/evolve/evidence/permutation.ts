import { groupsOf } from '../../platform/base/sum.js';
import type { Stratum } from '../statistics/mantel-haenszel.js';
import { newcombe } from '../statistics/newcombe.js';
import { type Random, seededRandom, shuffle } from '../statistics/seeded-random.js';
import type { Entrant, Figures } from './comparison.js';
import { OutcomeShuffler } from './shuffle.js';
import type { Tried } from './tried.js';
import { MAX_P_WITHIN, permutationHolds } from './verdict.js';

/** Shuffles of a test that is not decided earlier. */
const DRAWS = 999;

/** Shuffles that look as good, at which a test ends: no further ones can make it hold. */
const ENOUGH_AS_GOOD = Math.ceil(MAX_P_WITHIN * (DRAWS + 1));

const SEED = 20;

/** How good a comparison looks: the lower end of its interval, which grows with the difference and with the tries. */
const scoreOf = (arms: Stratum): number => newcombe(arms.with, arms.without)?.low ?? Number.NEGATIVE_INFINITY;

/** The tries of each draw, by group, so that the test can be repeated without a group. */
export class Permutation {
  private readonly places: ReadonlyMap<string, number>;
  private readonly totals: readonly Stratum[];
  /** Draws of few executions have the same tries many times. */
  private readonly scores = new Map<string, number>();

  constructor(
    groups: readonly string[],
    private readonly tables: readonly Int32Array[],
  ) {
    this.places = new Map(groups.map((group, at) => [group, at]));
    this.totals = tables.map((table) => sumOf(table));
  }

  /** True if few draws, this comparison included, look as good without the group; `own`: its arms without it. */
  holdsWithout(group: string, own: Stratum): boolean {
    const from = (this.places.get(group) ?? -1) * COLUMNS;
    const score = scoreOf(own);
    let asGood = 0;
    for (const [draw, table] of this.tables.entries()) {
      if (this.scoreWithout(table, this.totals[draw] ?? own, from) >= score) asGood++;
      if (!permutationHolds((asGood + 1) / (this.tables.length + 1))) return false;
    }
    return true;
  }

  private scoreWithout(table: Int32Array, all: Stratum, from: number): number {
    const own = (column: number): number => table[from + column] ?? 0;
    const arms = {
      with: { worked: all.with.worked - own(WITH_WORKED), n: all.with.n - own(WITH) },
      without: { worked: all.without.worked - own(WITHOUT_WORKED), n: all.without.n - own(WITHOUT) },
    };
    const key = `${arms.with.worked} ${arms.with.n} ${arms.without.worked} ${arms.without.n}`;
    const known = this.scores.get(key) ?? scoreOf(arms);
    this.scores.set(key, known);
    return known;
  }
}

const [WITH_WORKED, WITH, WITHOUT_WORKED, WITHOUT, COLUMNS] = [0, 1, 2, 3, 4] as const;

/** The arms of all groups. */
function sumOf(table: Int32Array): Stratum {
  const sums = new Int32Array(COLUMNS);
  for (const [at, n] of table.entries()) sums[at % COLUMNS] = (sums[at % COLUMNS] ?? 0) + n;
  const column = (at: number): number => sums[at] ?? 0;
  return {
    with: { worked: column(WITH_WORKED), n: column(WITH) },
    without: { worked: column(WITHOUT_WORKED), n: column(WITHOUT) },
  };
}

/**
 * Repeats a comparison with outcomes shuffled within each execution; whole executions with judgements shuffled within
 * their agents. Entrants must be in an order of their own (by id), so that the result does not depend on the input's.
 */
export function permutationOf(
  kind: Figures['kind'],
  entrants: readonly Entrant[],
  groupOf: (entrant: Entrant) => string | undefined,
): Permutation {
  const groups = [...new Set(entrants.flatMap((one) => groupOf(one) ?? []))];
  const indexes = new Map(groups.map((group, at) => [group, at]));
  const places = entrants.map((one) => indexes.get(groupOf(one) ?? '') ?? 0);
  return new Permutation(groups, [...tablesOf(kind, entrants, places, groups.length)]);
}

/**
 * Returns the share of shuffles that look as good as the comparison, itself included. Ends as soon as the test cannot
 * hold any more (J. Besag and P. Clifford 1991), so that a poor candidate costs little.
 */
export function permutationShare(figures: Figures, entrants: readonly Entrant[]): number {
  const score = scoreOf(figures);
  let [drawn, asGood] = [0, 0];
  for (const table of tablesOf(figures.kind, entrants, [], 1)) {
    drawn++;
    if (scoreOf(sumOf(table)) < score) continue;
    asGood++;
    if (asGood === ENOUGH_AS_GOOD) return asGood / drawn;
  }
  return (asGood + 1) / (drawn + 1);
}

/** The counts of both arms of each group, draw by draw. */
function* tablesOf(
  kind: Figures['kind'],
  entrants: readonly Entrant[],
  groups: readonly number[],
  size: number,
): Generator<Int32Array> {
  const random = seededRandom(SEED);
  const drawing = kind === 'execution' ? judgementsOf(entrants) : outcomesOf(entrants);
  for (let draw = 0; draw < DRAWS; draw++) {
    const table = new Int32Array(size * COLUMNS);
    drawing(random, (at, tried) => count(table, (groups[at] ?? 0) * COLUMNS, tried));
    yield table;
  }
}

function count(table: Int32Array, from: number, tried: Tried): void {
  if (tried.with !== undefined) {
    add(table, from + WITH);
    if (tried.with) add(table, from + WITH_WORKED);
  }
  if (tried.without !== undefined) {
    add(table, from + WITHOUT);
    if (tried.without) add(table, from + WITHOUT_WORKED);
  }
}

const add = (table: Int32Array, at: number): void => {
  table[at] = (table[at] ?? 0) + 1;
};

type Drawing = (random: Random, each: (at: number, tried: Tried) => void) => void;

function outcomesOf(entrants: readonly Entrant[]): Drawing {
  const shufflers = entrants.map(({ known }) => new OutcomeShuffler(known));
  return (random, each) => {
    for (let at = 0; at < entrants.length; at++) {
      const order = shufflers[at]?.next(random);
      if (order) each(at, entrants[at]?.arms(order) ?? {});
    }
  };
}

function judgementsOf(entrants: readonly Entrant[]): Drawing {
  const byAgent = groupsOf(entrants.keys(), (at) => entrants[at]?.agentId);
  return (random, each) => {
    for (const places of byAgent.values()) {
      const drawn = [...places];
      shuffle(drawn, random);
      for (const [index, at] of places.entries()) {
        const own = entrants[at]?.tried ?? {};
        const other = entrants[drawn[index] ?? at]?.tried ?? {};
        const worked = other.with ?? other.without;
        if (worked !== undefined) each(at, own.with === undefined ? { without: worked } : { with: worked });
      }
    }
  };
}
