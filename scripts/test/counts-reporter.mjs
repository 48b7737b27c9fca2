import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Writes the counts of a run, and what failed, to the file in GUILDBOOK_TEST_COUNTS, for scripts/test.mjs. */
export default class CountsReporter {
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that does not load has no tests; it counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      failures: results.testResults.flatMap(failuresOf),
    };
    writeFileSync(process.env.GUILDBOOK_TEST_COUNTS, JSON.stringify(counts));
  }
}

function failuresOf({ testFilePath, testResults, testExecError }) {
  const file = relative(process.cwd(), testFilePath);
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file}: ${fullName}`);
  return testExecError ? [`${file}: does not load`, ...failed] : failed;
}
