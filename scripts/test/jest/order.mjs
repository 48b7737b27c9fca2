import { readFileSync } from 'node:fs';
import sequencer from '@jest/test-sequencer';

/** Milliseconds by what a spec starts, measured in whole runs. */
const DURATIONS = [
  [/BuiltProgram|startServer|dataDir/, 12_000],
  [/startTestApplication|startApplication|worded\(/, 5_000],
  [/openTestDatabase|openEmbeddedDatabase|scratchPool|embeddedPool/, 2_000],
  [/GitRepository|execFile|spawn/, 3_000],
];
/** Starting a process copies the tables of all memory: 1 ms in a new worker, 20 ms in one with databases. */
const STARTS_PROCESSES = /GitRepository|CommitWriter|execFile|spawn/;
const FILLS_MEMORY = /startTestApplication|startServices|startAt|BuiltProgram|Database\(|Embedded/;
const DEFAULT_MS = 200;
const MS_PER_BYTE = 0.02;

const { default: Sequencer = sequencer } = sequencer;

/**
 * Runs specs that start processes while a worker is small, then the longest first, so that all workers end at the same
 * time. The first run estimates from the source.
 */
export default class Order extends Sequencer {
  sort(tests) {
    const isEarly = new Map();
    for (const test of tests) {
      const source = readFileSync(test.path, 'utf8');
      test.duration = this.time(test) ?? guess(source);
      isEarly.set(test, STARTS_PROCESSES.test(source) && !FILLS_MEMORY.test(source));
    }
    return tests.toSorted(
      (a, b) =>
        Number(this.hasFailed(b)) - Number(this.hasFailed(a)) ||
        Number(isEarly.get(b)) - Number(isEarly.get(a)) ||
        b.duration - a.duration,
    );
  }
}

function guess(source) {
  const longest = DURATIONS.filter(([pattern]) => pattern.test(source)).map(([, milliseconds]) => milliseconds);
  return Math.max(DEFAULT_MS, ...longest) + source.length * MS_PER_BYTE;
}
