/**
 * npm run bench:publish [-- --seed S]
 *
 * Publications per second: the real publisher, from decisions in the outbox of a real database (embedded, on disk) to
 * commits, files and their acknowledgement. Compared with `git add` and `git commit` of the file alone, one decision at
 * a time. In repositories with 10, 1,000 and 10,000 skills. The last line is JSON.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Outbox } from './outbox.js';
import { addAndCommit, FSYNC_MODES, plainGit } from './plain-git.js';
import { primeRepository, publicationOf } from './primed-repository.js';

const SIZES = [10, 1_000, 10_000] as const;
/** Two batches of the publisher, measured this many times; the other methods run in between. */
const QUEUE_LENGTH = 128;
const ROUNDS = 3;
const SINGLES_PER_ROUND = 6;

const HELP = `npm run bench:publish -- [options]
  --seed N   seed of the prepared repositories (1)`;

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-'));
const began = performance.now();

type Disk = keyof typeof FSYNC_MODES;
type Rates = Record<'queue' | 'single' | Disk, number>;

function logProgress(text: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
}

/** Events per second, from the median of the times in milliseconds. */
function rate(times: readonly number[], each = 1): number {
  const sorted = [...times].sort((a, b) => a - b);
  return (1000 * each) / (sorted[sorted.length >> 1] ?? Number.NaN);
}

async function measure(outbox: Outbox, skills: number): Promise<Rates> {
  const ours = join(folder, `${skills}`);
  const theirs = join(folder, `${skills}-plain`);
  await primeRepository(ours, skills, seed);
  plainGit(ours, FSYNC_MODES.none, 'gc', '--quiet');
  cpSync(ours, theirs, { recursive: true });
  logProgress(`${skills} skills: prepared, one commit each`);
  const drain = await outbox.drainerInto(ours);
  await outbox.fill(1);
  const first = await drain();
  const times: Record<keyof Rates, number[]> = { queue: [], single: [], same: [], default: [], none: [] };
  let next = skills;
  for (let round = 0; round < ROUNDS; round += 1) {
    await outbox.fill(QUEUE_LENGTH);
    times.queue.push(await drain());
    for (let n = 0; n < SINGLES_PER_ROUND; n += 1) {
      await outbox.fill(1);
      times.single.push(await drain());
    }
    for (const disk of ['same', 'default', 'none'] as const) {
      const files = Array.from({ length: SINGLES_PER_ROUND }, () => publicationOf(seed, next++));
      times[disk].push(
        ...addAndCommit(
          theirs,
          FSYNC_MODES[disk],
          files.map(({ path, bytes }) => [path, bytes] as const),
        ),
      );
    }
  }
  const commits = Number(plainGit(ours, FSYNC_MODES.none, 'rev-list', '--count', 'main'));
  const expected = skills + 1 + ROUNDS * (QUEUE_LENGTH + SINGLES_PER_ROUND);
  if (commits !== expected) throw new Error(`${commits} commits instead of ${expected}`);
  plainGit(ours, FSYNC_MODES.none, 'fsck', '--full', '--strict');
  logProgress(`${skills} skills: measured; the first publication after the start took ${first.toFixed(0)} ms`);
  return {
    queue: rate(times.queue, QUEUE_LENGTH),
    single: rate(times.single),
    same: rate(times.same),
    default: rate(times.default),
    none: rate(times.none),
  };
}

const ROWS: readonly (readonly [keyof Rates, string])[] = [
  ['queue', `publisher, ${QUEUE_LENGTH} pending decisions`],
  ['single', 'publisher, one pending decision'],
  ['same', 'git add, git commit; fsync as in the publisher'],
  ['default', 'git add, git commit; default fsync'],
  ['none', 'git add, git commit; no fsync'],
];

const outbox = await Outbox.open();
try {
  const rates: Rates[] = [];
  for (const skills of SIZES) rates.push(await measure(outbox, skills));
  const digits = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  console.log(`\n${'publications per second'.padEnd(44)}${SIZES.map((skills) => `${skills}`.padStart(8)).join('')}`);
  for (const [key, name] of ROWS)
    console.log(name.padEnd(44) + rates.map((it) => digits(it[key]).padStart(8)).join(''));
  for (const [key, name] of [
    ['queue', 'publisher / git, queue'] as const,
    ['single', 'publisher / git, one at a time'] as const,
  ])
    console.log(name.padEnd(44) + rates.map((it) => digits(it[key] / it.same).padStart(8)).join(''));
  const result: Record<string, number> = {};
  for (const [index, skills] of SIZES.entries()) {
    const it = rates[index];
    if (!it) continue;
    result[`ratioAt${skills}`] = it.queue / it.same;
    result[`singleRatioAt${skills}`] = it.single / it.same;
    result[`ratioWithoutFsyncAt${skills}`] = it.queue / it.none;
    for (const [key] of ROWS) result[`${key}At${skills}`] = it[key];
  }
  result['seconds'] = (performance.now() - began) / 1000;
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value)));
} finally {
  await outbox.close();
  rmSync(folder, { recursive: true });
}
