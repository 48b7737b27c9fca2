import { writeFileSync } from 'node:fs';

/** Leaves the counts of a run for scripts/test.mjs, in the file that GUILDBOOK_TEST_COUNTS names. */
export default class CountsReporter {
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that does not even load has no tests to fail; it counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(process.env.GUILDBOOK_TEST_COUNTS, JSON.stringify(counts));
  }
}
