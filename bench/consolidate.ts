/**
 * npm run bench:consolidate -- --data FOLDER [--more FOLDER]… [--sets a,b] [--seed N] [--limit N]
 *   [--lessons] [--database URL]
 *
 * Measures what the consolidation of private lessons keeps: the first half of each agent's executions is reported to the
 * built server, which learns from it by rules; the failures that runs of the second half overcame are the queries of
 * recalls before and after every agent is consolidated. The last line is JSON.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchServerUrl } from '../src/platform/config/environment.js';
import type { StoredLesson } from './consolidate/descendants.js';
import { type AskedFailure, type Figures, figuresOf, type Retrieval } from './consolidate/figures.js';
import { orderedHalves } from './consolidate/ordered-halves.js';
import { type OvercomeFailure, overcomeFailures } from './consolidate/overcome-failures.js';
import type { Repetition } from './consolidate/repetition.js';
import { type Recalled, ReplayingServer } from './consolidate/replaying-server.js';
import type { TwoHalves } from './delivery/learned-half.js';
import { type ObservedExecution, observeStored } from './fidelity/product-lessons.js';
import { readSet } from './sets/set-reader.js';
import { findSets, type SetFile } from './transfer/find-sets.js';

const HELP = `npm run bench:consolidate -- --data FOLDER [options]
  --data FOLDER  sets: each folder in it with a trajectories.jsonl
  --more FOLDER  another folder of sets; may be given repeatedly
  --sets a,b     only the sets with these names
  --seed N       of the halves and the order of sets without distinct times (0)
  --limit N      reads only the first N executions of a set (2000)
  --lessons      prints every lesson that ended, and what it ended for
  --database URL a PostgreSQL server, on which a temporary database is created (default: TEST_DATABASE_URL); without
                 either the embedded database

Last line: {"before", "after", "unrepresented", "repetition", "ndcgBefore", "ndcgAfter", …}
  before, after            live private lessons
  unrepresented            lessons of before without a live descendant that were not pruned
  repetition               share of the words of a recall in lines that say what an earlier line says;
                           repetitionBefore; phrases…: words in eight consecutive words that an earlier line has
  ndcgBefore, ndcgAfter    nDCG@10 of the queries; relevant is a lesson of the same failure with a remedy that the run
                           used; remedyNdcg…: a lesson with such a remedy, whatever failed
  queries, remedyQueries   queries with a relevant lesson; recalls: all queries, which count for repetition`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    more: { type: 'string', multiple: true, default: [] },
    sets: { type: 'string' },
    seed: { type: 'string', default: '0' },
    limit: { type: 'string', default: '2000' },
    database: { type: 'string' },
    lessons: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.data === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

/** A set with the queries of its second half, and what the searches before the consolidation returned. */
interface ReplayedSet {
  readonly name: string;
  readonly halves: TwoHalves<ObservedExecution>;
  readonly failures: readonly OvercomeFailure[];
  readonly before: readonly Recalled[];
}

const [seed, limit] = [wholeNumber('seed', values.seed), wholeNumber('limit', values.limit)];
const files = setsOrExit([values.data, ...values.more]);
const server = await ReplayingServer.start(values.database ?? benchServerUrl());
try {
  await measure();
} finally {
  await server.remove();
}

async function measure(): Promise<void> {
  const sets: ReplayedSet[] = [];
  for (const { name, file } of files) {
    const set = readSet(readFileSync(file, 'utf8'), name);
    const halves = orderedHalves(set.executions.map(observeStored), set.isOrdered, { seed, limit });
    await server.learn(name, halves.learned, (text) => console.error(`${name}: ${text}`));
    await server.embedded();
    const failures = halves.replayed.flatMap(overcomeFailures);
    console.error(`${name}: ${halves.learned.length} executions learned from, ${failures.length} later failures`);
    sets.push({ name, halves, failures, before: await recallAll(name, failures) });
  }
  console.error('consolidating');
  await server.consolidate();
  await server.embedded();
  const asked = new Map<string, AskedFailure[]>();
  for (const { name, failures, before } of sets) {
    const after = await recallAll(name, failures);
    asked.set(
      name,
      failures.flatMap((failure, at) => askedFailure(name, failure, before[at], after[at])),
    );
  }
  print(sets, asked, await server.lessons());
}

async function recallAll(set: string, failures: readonly OvercomeFailure[]): Promise<Recalled[]> {
  const found: Recalled[] = [];
  for (const { agent, query } of failures) found.push(await server.recall(set, agent, query));
  return found;
}

function askedFailure(
  set: string,
  failure: OvercomeFailure,
  before: Recalled | undefined,
  after: Recalled | undefined,
): AskedFailure[] {
  const agentId = server.idOf(set, failure.agent);
  return agentId === undefined || !before || !after ? [] : [{ failure, agentId, before, after }];
}

function print(
  sets: readonly ReplayedSet[],
  asked: ReadonlyMap<string, readonly AskedFailure[]>,
  lessons: readonly StoredLesson[],
): void {
  console.log(`Database: ${server.kind}. Each execution was reported by the agent that its set names.`);
  console.log(
    'set                  split  learned  lessons  after  unrepresented  recalls  repetition  phrases  queries  nDCG@10  by remedy',
  );
  for (const { name, halves } of sets) {
    const agents = new Set([...halves.learned, ...halves.replayed].map(({ row }) => server.idOf(name, row.agentId)));
    const own = lessons.filter(({ agentId }) => agents.has(agentId));
    const one = figuresOf(own, asked.get(name) ?? []);
    const cells = [
      ...[halves.by, halves.learned.length, one.before, one.after, one.unrepresented, one.recalls],
      ...[change(repeated(one, 'lines')), change(repeated(one, 'phrases'))],
      ...[one.strict.queries, change(one.strict), `${one.byRemedy.queries}: ${change(one.byRemedy)}`],
    ];
    console.log([name.padEnd(20), ...cells].join('  '));
    if (values.lessons) printEnded(own);
  }
  const all = figuresOf(lessons, [...asked.values()].flat());
  const [lines, phrases] = [repeated(all, 'lines'), repeated(all, 'phrases')];
  console.log(
    JSON.stringify({
      before: all.before,
      after: all.after,
      unrepresented: all.unrepresented,
      repetition: rounded(lines.after),
      ndcgBefore: rounded(all.strict.before),
      ndcgAfter: rounded(all.strict.after),
      queries: all.strict.queries,
      recalls: all.recalls,
      repetitionBefore: rounded(lines.before),
      phrases: rounded(phrases.after),
      phrasesBefore: rounded(phrases.before),
      remedyNdcgBefore: rounded(all.byRemedy.before),
      remedyNdcgAfter: rounded(all.byRemedy.after),
      remedyQueries: all.byRemedy.queries,
    }),
  );
}

function printEnded(lessons: readonly StoredLesson[]): void {
  const byId = new Map(lessons.map((one) => [one.id, one]));
  for (const { isEndedByRun, endReason, supersededById, discovery } of lessons) {
    if (!isEndedByRun) continue;
    const by = byId.get(supersededById ?? '');
    console.log(`    ${endReason}: ${discovery}${by === undefined ? '' : `\n        now: ${by.discovery}`}`);
  }
}

function repeated(
  { repetitionBefore, repetitionAfter }: Figures,
  key: keyof Omit<Repetition, 'words'>,
): Omit<Retrieval, 'queries'> {
  return {
    before: share(repetitionBefore[key], repetitionBefore.words),
    after: share(repetitionAfter[key], repetitionAfter.words),
  };
}

function share(part: number, all: number): number | null {
  return all === 0 ? null : part / all;
}

function change({ before, after }: Omit<Retrieval, 'queries'>): string {
  return before === null || after === null ? '-' : `${before.toFixed(4)} → ${after.toFixed(4)}`;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1e4) / 1e4;
}

function setsOrExit(folders: readonly string[]): SetFile[] {
  try {
    return findSets(
      folders,
      values.sets?.split(',').map((name) => name.trim()),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}
