import { writeFileSync } from 'node:fs';

/** Writes the counts of a run to the file in GUILDBOOK_TEST_COUNTS, for scripts/test.mjs. */
export default class CountsReporter {
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that does not load has no tests; it counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(process.env.GUILDBOOK_TEST_COUNTS, JSON.stringify(counts));
  }
}
