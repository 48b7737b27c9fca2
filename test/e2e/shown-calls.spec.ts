import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { pythonReport } from '../support/fleet.js';
import { adviceOf, failedCall, learnedByFleet, reportAsFleet, workedCall } from '../support/imported-calls.js';

let app: TestApplication;
beforeEach(async () => {
  app = await startTestApplication();
});
afterEach(() => app.close());

/** What the skill and the lessons recommend after the failing call, which was tried twice. */
async function learned(failing: ToolCall, ...after: readonly ToolCall[]) {
  const { proposal, lessons } = await learnedByFleet(app, [failing, failing, ...after]);
  const { title, discovery, action, steps, example } = proposal.proposedSkill;
  const shown = example === undefined ? [] : [...example.between, ...(example.worked ? [example.worked] : [])];
  return {
    skill: proposal.artifact,
    advice: [title, discovery, action, ...steps, ...shown.map(({ call }) => call)].join('\n'),
    lessons: lessons.map(adviceOf),
  };
}

describe('a recommended command', () => {
  it('keeps the value of its variable', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('npm test', 'Error: no test database is configured'),
      workedCall('NODE_ENV=test npm test'),
    );
    for (const text of [skill, advice, ...lessons]) {
      expect(text).toContain('NODE_ENV=test npm test');
      expect(text).not.toMatch(/NODE_ENV=(?!test)/);
    }
    expect(lessons).toHaveLength(5);
  });

  it('keeps the operands of its flags', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('git push', 'fatal: The current branch main has no upstream branch.'),
      workedCall('git push --set-upstream origin main'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('git push --set-upstream origin main');
  });

  it('keeps a value that is attached to its flag', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('docker build .', 'ERROR: failed to solve: the sandbox has no name server'),
      workedCall('docker build --network=builds .'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('docker build --network=builds .');
  });

  it('keeps the version that tells it from the failed one', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('nvm use 18.19.0', 'Error: version "18.19.0" is not supported: this project requires 20.11.0'),
      workedCall('nvm use 20.11.0'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('nvm use 20.11.0');
  });

  it('keeps the name of the server that tells it from the failed one', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('psql -h db1 -f totals.sql', 'psql: error: could not connect to server: host "db1" is gone'),
      workedCall('psql -h db2 -f totals.sql'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('psql -h db2');
  });

  it('keeps the target that tells it from the failed one', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('make build', "make: *** No rule to make target 'build'.  Stop."),
      workedCall('make all'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('make all');
  });

  it('keeps the folder of its interpreter', async () => {
    const { skill, advice, lessons } = await learned(
      failedCall('python check.py', 'ModuleNotFoundError: No module named apt_pkg'),
      workedCall('/usr/bin/python3 check.py'),
    );
    for (const text of [skill, advice, ...lessons]) expect(text).toContain('/usr/bin/python3');
  });

  it('has a placeholder that says what goes there where successes differ', async () => {
    const names = ['ada', 'ben', 'cleo', 'dora', 'emil'];
    const failing = failedCall('docker build .', 'ERROR: a tag is required by the registry policy');
    for (const [n, name] of names.entries()) {
      const { client } = await app.agent(name, `team of ${name}`);
      const toolCalls = [failing, failing, workedCall(`docker build -t till:${n + 1} .`)];
      await client.executions.report({ ...pythonReport(app, name), toolCalls });
    }
    await app.settled();
    await app.admin.evolver.run(false);
    const [proposal] = (await app.admin.proposals.list()).items;
    const { artifact } = await app.admin.proposals.show(proposal?.id ?? '');
    expect(artifact).toMatch(/docker build -t <[a-z][a-z ]{2,20}> \./);
    expect(artifact).not.toMatch(/docker build -t \./);
  });
});

describe('an edit between a failure and its success', () => {
  const failing = failedCall('npx babel src', 'Error: the preset may not export an object');
  const edited = (file: string) =>
    workedCall({ file_path: file, old_string: 'till', new_string: 'const total = sumOfTheTill;' }, 'Edit');

  it('of settings is a step of the lesson, by the kind of file and without its content', async () => {
    const { skill, lessons } = await learned(failing, edited('babel.config.json'), workedCall('npx babel src'));
    for (const text of [skill, ...lessons]) {
      expect(text).toMatch(/[Ee]dit/);
      expect(text).toMatch(/\.json\b/);
      expect(text).not.toContain('sumOfTheTill');
    }
  });

  it('is not proposed if it only mends the program that failed', async () => {
    const broken = failedCall('node build.js', 'ReferenceError: total is not defined');
    await reportAsFleet(app, 'the shop', [broken, broken, edited('build.js'), workedCall('node build.js')]);
    await app.admin.evolver.run(false);
    expect((await app.admin.proposals.list()).total).toBe(0);
  });
});

describe('the output of a failing command', () => {
  it('is in no stored text, but for its error lines', async () => {
    const customers = 'id,name\n17,Wilhelmina Quast\n18,Ottokar Zander\n';
    const failing = failedCall('cat customers.csv && false', `Exit code 1\n${customers}`);
    const raw: ToolCall = { name: 'Bash', action: 'cat customers.csv && false', ok: false, errorMessage: customers };
    const { client } = await app.agent('ada', 'team of ada');
    const worked = workedCall('cat customers.csv');
    await client.executions.report({ ...pythonReport(app, 'imported'), toolCalls: [failing, failing, worked] });
    await client.executions.report({ ...pythonReport(app, 'reported'), toolCalls: [raw, raw, worked] });
    await app.settled();
    await app.admin.evolver.run(false);
    const stored = Object.values(await dumpTables(app.database)).flat();
    for (const customer of ['Wilhelmina', 'Quast', 'Ottokar', 'Zander'])
      expect(stored.filter((row) => row.includes(customer))).toEqual([]);
  });
});
