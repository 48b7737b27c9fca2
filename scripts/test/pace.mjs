import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpuSeconds } from './spent.mjs';

/** Mean CPU-seconds of a sample in a worker of a whole run, on the machine for which the budgets were set. */
const REFERENCE_SECONDS = 0.025;
const ROWS = Array.from({ length: 3000 }, (_, n) => ({ id: `${(n * 7919) % 3000}`, words: `row ${n} of many` }));

/** Runs of the work before it counts: Node compiles what runs often. */
const WARM_UP = 5;
let isWarm = false;

/** CPU-seconds that a fixed piece of work takes now. It sorts, hashes and starts a process, as specs do. */
export function samplePace() {
  if (!isWarm) for (let n = 0; n < WARM_UP; n += 1) work();
  isWarm = true;
  const before = cpuSeconds();
  work();
  return cpuSeconds() - before;
}

function work() {
  const copy = JSON.parse(JSON.stringify(ROWS)).toSorted((a, b) => a.id.localeCompare(b.id));
  createHash('sha256').update(JSON.stringify(copy)).digest('hex');
  spawnSync('git', ['--version']);
}

/** How many times slower than the reference the machine was while it took these samples; at least 1. */
export function slowness(samples) {
  const mean = samples.reduce((sum, seconds) => sum + seconds, 0) / samples.length;
  return Math.max(1, mean / REFERENCE_SECONDS || 1);
}
