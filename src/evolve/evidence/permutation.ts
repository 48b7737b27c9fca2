import type { Stratum } from '../statistics/mantel-haenszel.js';
import { newcombe } from '../statistics/newcombe.js';
import { type Random, seededRandom } from '../statistics/seeded-random.js';
import type { ArmsOfExecution, Entrant, Figures } from './comparison.js';
import { MAX_P_WITHIN } from './verdict.js';

/** Shuffles of a test that is not decided earlier. */
const DRAWS = 999;

/** Shuffles that look as good, at which a test ends: no further ones can make it hold. */
const ENOUGH_AS_GOOD = Math.ceil(MAX_P_WITHIN * (DRAWS + 1));

const SEED = 20;

/** How good a comparison looks: the lower end of its interval, which grows with the difference and with the tries. */
const scoreOf = (arms: Stratum): number => newcombe(arms.with, arms.without)?.low ?? Number.NEGATIVE_INFINITY;

/**
 * Repeats a comparison with outcomes shuffled within each execution. Returns the share of shuffles that look as good, the
 * comparison itself included. Callers sort the entrants, so that the result does not depend on the order of the input. Ends
 * as soon as the test cannot hold any more (J. Besag and P. Clifford 1991), so that a poor candidate costs little.
 */
export function permutationShare(figures: Figures, entrants: readonly Entrant[]): number {
  const score = scoreOf(figures);
  let [drawn, asGood] = [0, 0];
  for (const table of tablesOf(entrants, [], 1)) {
    drawn++;
    if (!looksAsGood(score, table)) continue;
    asGood++;
    if (asGood === ENOUGH_AS_GOOD) return asGood / drawn;
  }
  return (asGood + 1) / (drawn + 1);
}

/**
 * Repeats the test without each of some groups, on the same draws, and returns without how many it holds. `left`: the
 * arms of the comparison without the group.
 */
export function holdingWithout(
  entrants: readonly Entrant[],
  groupOf: (entrant: Entrant) => string | undefined,
  left: ReadonlyMap<string, Stratum>,
): number {
  const names = entrants.map((one) => groupOf(one) ?? '');
  const places = new Map([...new Set(names)].map((name, at) => [name, at]));
  const tests = [...left].map(([name, own]) => ({
    from: fromOf(places.get(name)),
    score: scoreOf(own),
    asGood: 0,
  }));
  for (const table of tablesOf(
    entrants,
    names.map((name) => places.get(name)),
    places.size,
  )) {
    for (const test of tests)
      if (test.asGood < ENOUGH_AS_GOOD && looksAsGood(test.score, table, test.from)) test.asGood++;
  }
  return tests.filter(({ asGood }) => asGood < ENOUGH_AS_GOOD).length;
}

const COLUMNS = 4;
/** The first column of a side: tries that worked. All its tries are the next. */
const FIRST = { with: 0, without: 2 } as const;
/** Where the columns of a group begin, behind those of all. */
const fromOf = (group = 0): number => (group + 1) * COLUMNS;

/** Whether the tries of a draw, less those of a group, look at least as good. */
function looksAsGood(score: number, table: Int32Array, from = table.length): boolean {
  const left = (column: number): number => (table[column] ?? 0) - (table[from + column] ?? 0);
  const [worked, n, otherWorked, others] = [left(0), left(1), left(2), left(3)];
  // An interval begins below its difference, which most draws tell from the score.
  if (!(worked / n - otherWorked / others >= score)) return false;
  return scoreOf({ with: { worked, n }, without: { worked: otherWorked, n: others } }) >= score;
}

/** The counts of both arms, of all and of each group, draw by draw. A table is valid until the next one. */
function* tablesOf(
  entrants: readonly Entrant[],
  groups: readonly (number | undefined)[],
  size: number,
): Generator<Int32Array> {
  const random = seededRandom(SEED);
  const [fixed, table] = [new Int32Array(fromOf(size)), new Int32Array(fromOf(size))];
  const urns = entrants
    .map(({ arms }, at) => urnOf(arms, fromOf(groups[at]), fixed))
    .filter(({ columns }) => columns.length > 0);
  for (let draw = 0; draw < DRAWS; draw++) {
    table.set(fixed);
    for (const urn of urns) drawFrom(urn, table, random);
    yield table;
  }
}

/** The outcomes that may change places, and the columns of the tries that have some of them. */
interface Urn {
  readonly worked: number;
  readonly failed: number;
  readonly all: number;
  readonly columns: readonly number[];
}

/** Counts the tries that keep their outcomes in `fixed`. */
function urnOf(arms: ArmsOfExecution, from: number, fixed: Int32Array): Urn {
  const outcomes = arms.results.filter((_, at) => arms.known[at] !== undefined);
  const columns: number[] = [];
  for (const side of ['with', 'without'] as const) {
    const at = arms[side];
    if (at === undefined) continue;
    if (arms.known[at] === undefined) count(fixed, from + FIRST[side], arms.results[at]);
    else columns.push(from + FIRST[side]);
  }
  const many = (result: boolean): number => outcomes.filter((one) => one === result).length;
  return { worked: many(true), failed: many(false), all: outcomes.length, columns };
}

/** As if all outcomes were shuffled: of these only those of the tries are looked at. */
function drawFrom(urn: Urn, table: Int32Array, random: Random): void {
  let { worked, failed, all } = urn;
  for (const column of urn.columns) {
    const drawn = Math.floor(random() * all--);
    const result = drawn < worked ? true : drawn < worked + failed ? false : undefined;
    if (result) worked--;
    else if (result === false) failed--;
    count(table, column, result);
  }
}

function count(table: Int32Array, column: number, result: boolean | undefined): void {
  if (result === undefined) return;
  add(table, column + 1);
  if (result) add(table, column);
}

function add(table: Int32Array, at: number): void {
  table[at] = (table[at] ?? 0) + 1;
  table[at % COLUMNS] = (table[at % COLUMNS] ?? 0) + 1;
}
