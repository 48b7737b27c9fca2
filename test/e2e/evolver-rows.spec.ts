import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { pythonReport, reportPythonFleet } from '../support/fleet.js';
import { run } from '../support/reports.js';

const FLEET = ['ada', 'ben', 'cleo', 'dan'];
/** More than a list of cycles holds of one report. */
const UNSOLVED = 53;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const programOf = (n: number): string => `forge${LETTERS[n % 26]}${LETTERS[Math.floor(n / 26)]}`;

let app: TestApplication;
let program: CommandLine;
beforeAll(async () => {
  program = await CommandLine.create();
  app = await startTestApplication();
  // Beside 53 other problems, four short runs may overcome one by chance.
  await reportPythonFleet(app, [...FLEET, 'eve']);
  for (const name of FLEET) {
    const { client } = await app.agent(`${name} at the forge`, `team of ${name}`);
    const reports = Array.from({ length: UNSOLVED }, (_, n) => ({
      ...pythonReport(app, `${programOf(n)} of ${name}`),
      toolCalls: [1, 2].map(() => run(`${programOf(n)} build`, `${programOf(n)}: the anvil is cold`)),
    }));
    await client.executions.reportAll(reports);
  }
  await app.settled();
});
afterAll(async () => {
  await app.close();
  await program.remove();
});

const guildbook = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await program.run(args, {
    GUILDBOOK_SERVER: app.url,
    GUILDBOOK_TOKEN: app.adminToken,
  });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const rowsWith = (output: string, text: string): number =>
  output.split('\n').filter((line) => line.includes(text)).length;

describe('the rows of a cycle', () => {
  it('can all be reached in a dry run, with the reason of each candidate that is not proposed', async () => {
    const some = await guildbook('evolve', '--dry-run');
    expect(rowsWith(some, 'not overcome in any execution  forge')).toBe(20);
    expect(some).toContain(`… and ${UNSOLVED - 20} more: --all prints them.`);
    const all = await guildbook('evolve', '--dry-run', '--all');
    expect(rowsWith(all, 'not overcome in any execution  forge')).toBe(UNSOLVED);
    expect(all).not.toContain('--all prints');
    const { report } = JSON.parse(await guildbook('--json', 'evolve', '--dry-run'));
    expect(report.notProposed).toHaveLength(UNSOLVED);
    expect(report.totals).toMatchObject({
      proposals: 1,
      notProposed: UNSOLVED,
      unsolved: UNSOLVED,
      problems: expect.any(Number),
    });
  });

  it('name the proposal that was submitted, and later that it is pending or was rejected', async () => {
    const first = await guildbook('evolve');
    const [pending] = (await app.admin.proposals.list()).items;
    const id = pending?.id ?? '';
    expect(first).toContain(id);
    const again = await guildbook('evolve', '--dry-run');
    expect(again).toMatch(new RegExp(`already pending .*${id}`));
    await app.admin.proposals.reject(id, 'Everyone knows this one.');
    expect(await guildbook('evolve', '--dry-run')).toContain(
      'rejected before, without enough new evidence: Everyone knows this one.',
    );
  });

  it('are all in the report of one cycle; the list of cycles has the first 50 of each, and pages with a total', async () => {
    const first = await app.admin.evolver.reports({ limit: 2 });
    const [newest] = first.items;
    expect([first.items.length, newest?.report?.notProposed.length]).toEqual([2, 50]);
    expect(newest?.report?.totals?.notProposed).toBe(UNSOLVED + 1);
    expect((await app.admin.evolver.report(newest?.id ?? '')).report?.notProposed).toHaveLength(UNSOLVED + 1);
    const ids = first.items.map(({ id }) => id);
    for (let { next } = first; next !== null; ) {
      const page = await app.admin.evolver.reports({ limit: 2, after: next });
      expect(page.total).toBe(first.total);
      ids.push(...page.items.map(({ id }) => id));
      next = page.next;
    }
    expect(new Set(ids).size).toBe(first.total);
    expect(ids).toHaveLength(first.total);
  });
});
