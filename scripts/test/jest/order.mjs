import { readFileSync } from 'node:fs';
import sequencer from '@jest/test-sequencer';

/** Milliseconds by what a spec starts, measured in whole runs. */
const DURATIONS = [
  [/BuiltProgram|startServer|dataDir/, 12_000],
  [/startTestApplication|startApplication|worded\(/, 5_000],
  [/openTestDatabase|openEmbeddedDatabase|scratchPool|embeddedPool/, 2_000],
  [/GitRepository|execFile|spawn/, 3_000],
];
const DEFAULT_MS = 200;
const MS_PER_BYTE = 0.02;

const { default: Sequencer = sequencer } = sequencer;

/** Runs the longest specs first, so that all workers end at the same time. The first run estimates from the source. */
export default class Order extends Sequencer {
  sort(tests) {
    for (const test of tests) test.duration = this.time(test) ?? guess(readFileSync(test.path, 'utf8'));
    return tests.toSorted((a, b) => Number(this.hasFailed(b)) - Number(this.hasFailed(a)) || b.duration - a.duration);
  }
}

function guess(source) {
  const longest = DURATIONS.filter(([pattern]) => pattern.test(source)).map(([, milliseconds]) => milliseconds);
  return Math.max(DEFAULT_MS, ...longest) + source.length * MS_PER_BYTE;
}
