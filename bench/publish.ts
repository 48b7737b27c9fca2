/**
 * npm run bench:publish [-- --sizes 10,1000,10000 --pending 128 --rounds 3 --seed 1]
 *
 * Publications per second: the real publisher, from decisions in the outbox of a real database (embedded, on disk) to
 * commits, files and their acknowledgement. Compared with `git add` and `git commit` of the file alone, one decision at
 * a time, in repositories of several sizes. The last line is JSON.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Outbox } from './outbox.js';
import { addAndCommit, FSYNC_MODES, plainGit } from './plain-git.js';
import { primeRepository, publicationOf } from './primed-repository.js';

const SINGLES_PER_ROUND = 6;

const HELP = `npm run bench:publish -- [options]
  --sizes N,N,…  skills of the prepared repositories (10,1000,10000)
  --pending N    decisions that wait in the outbox (128: two batches of the publisher)
  --rounds N     rounds of each size; the other methods run in between (3)
  --seed N       seed of the prepared repositories (1)

Smallest run: --sizes 2,3 --pending 8 --rounds 1`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,1000,10000' },
    pending: { type: 'string', default: '128' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes.split(',').map(Number);
const [pending = 0, rounds = 0, seed = 0] = [values.pending, values.rounds, values.seed].map(Number);
if (values.help || !sizes.every((size) => size >= 2) || !(pending && rounds) || Number.isNaN(seed)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}
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
  for (let round = 0; round < rounds; round += 1) {
    await outbox.fill(pending);
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
  const expected = skills + 1 + rounds * (pending + SINGLES_PER_ROUND);
  if (commits !== expected) throw new Error(`${commits} commits instead of ${expected}`);
  plainGit(ours, FSYNC_MODES.none, 'fsck', '--full', '--strict');
  logProgress(`${skills} skills: measured; the first publication after the start took ${first.toFixed(0)} ms`);
  return {
    queue: rate(times.queue, pending),
    single: rate(times.single),
    same: rate(times.same),
    default: rate(times.default),
    none: rate(times.none),
  };
}

const ROWS: readonly (readonly [keyof Rates, string])[] = [
  ['queue', `publisher, ${pending} pending decisions`],
  ['single', 'publisher, one pending decision'],
  ['same', 'git add, git commit; fsync as in the publisher'],
  ['default', 'git add, git commit; default fsync'],
  ['none', 'git add, git commit; no fsync'],
];

const outbox = await Outbox.open();
try {
  const rates: Rates[] = [];
  for (const skills of sizes) rates.push(await measure(outbox, skills));
  const digits = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  console.log(`\n${'publications per second'.padEnd(44)}${sizes.map((skills) => `${skills}`.padStart(8)).join('')}`);
  for (const [key, name] of ROWS)
    console.log(name.padEnd(44) + rates.map((it) => digits(it[key]).padStart(8)).join(''));
  for (const [key, name] of [
    ['queue', 'publisher / git, queue'] as const,
    ['single', 'publisher / git, one at a time'] as const,
  ])
    console.log(name.padEnd(44) + rates.map((it) => digits(it[key] / it.same).padStart(8)).join(''));
  const result: Record<string, number> = {};
  for (const [index, skills] of sizes.entries()) {
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
