import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FailedImport, outcomeOf } from './case-run.js';
import { type ExpectedRun, MalformedExpectation, readExpectation } from './expectation.js';
import { differences } from './outcome.js';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '' }, only: { type: 'string', multiple: true, default: [] } },
});
const { cases: folder, only } = values;

const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && (only.length === 0 || only.some((name) => entry.name.startsWith(name))))
  .map(({ name }) => name)
  .sort();
const isCase = (name: string) => existsSync(join(folder, name, 'expect.json'));
for (const name of names.filter((one) => !isCase(one))) console.log(`${name}: skipped, it has no expect.json`);

let failed = 0;
const cases = names.filter(isCase);
for (const name of cases) {
  const problems = await problemsOf(join(folder, name));
  if (problems.length > 0) failed += 1;
  console.log(`${name}: ${problems.length === 0 ? 'ok' : `FAILED: ${problems.join('; ')}`}`);
}
if (cases.length === 0) {
  console.error(`No folder in ${folder} has an expect.json.`);
  failed += 1;
}
console.log(JSON.stringify({ cases: cases.length, failed }));
process.exitCode = failed === 0 ? 0 : 1;

async function problemsOf(path: string): Promise<string[]> {
  let runs: ExpectedRun[];
  try {
    runs = readExpectation(join(path, 'expect.json'));
  } catch (error) {
    if (!(error instanceof MalformedExpectation)) throw error;
    return [error.message];
  }
  const problems: string[] = [];
  for (const [index, run] of runs.entries()) {
    const missing = run.import.filter((one) => !existsSync(join(path, one)));
    const found = missing.length > 0 ? missing.map((one) => `there is no ${one}`) : await compare(path, run);
    problems.push(...found.map((problem) => `run ${index + 1} (${run.import.join(', ')}): ${problem}`));
  }
  return problems;
}

async function compare(path: string, run: ExpectedRun): Promise<string[]> {
  try {
    return differences(run, await outcomeOf(path, run));
  } catch (error) {
    if (!(error instanceof FailedImport)) throw error;
    return [error.message];
  }
}
