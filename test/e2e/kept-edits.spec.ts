import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { onlyPending, pythonReport } from '../support/fleet.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay', 'gus'];
const PYTHON = [run('python manage.py check', SYNTAX_ERROR), run('python3 manage.py check')];

let app: TestApplication;
let agents: Guildbook[];
let rita: Awaited<ReturnType<TestApplication['person']>>;
let tasks: number;
beforeEach(async () => {
  app = await startTestApplication();
  rita = await app.person('Rita Reviewer', { reviewer: true });
  agents = [];
  for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
  tasks = 0;
});
afterEach(() => app.close());

async function reported(harness: string): Promise<void> {
  for (let n = 0; n < 28; n += 1, tasks += 1) {
    const environment = { project: `project-${tasks}`, harness };
    const report = { ...pythonReport(app, `number ${tasks}`), environment, toolCalls: PYTHON };
    await agents[n % agents.length]?.executions.report(report);
  }
  await app.settled();
}

/** The lesson of one harness as Rita words it, approved; then what a second harness makes of it. */
async function widened(says: Partial<ProposalDetails['proposedSkill']>): Promise<[ProposalDetails, ProposalDetails]> {
  await reported('harness-a');
  await app.admin.evolver.run(false);
  const { id, artifactSha256, proposedSkill } = await onlyPending(app);
  await rita.client.proposals.edit(id, { artifactSha256, proposedSkill: { ...proposedSkill, ...says } });
  const edited = await app.admin.proposals.show(id);
  await app.admin.proposals.approve(id, edited.artifactSha256);
  await reported('harness-b');
  await app.admin.evolver.run(false);
  return [await app.admin.proposals.show(id), await onlyPending(app)];
}

it('a new version of a lesson starts from the texts that a person wrote, and reviewers see whose they are', async () => {
  const gotchas = ['The old interpreter stays installed.'];
  const [first, wider] = await widened({ title: 'Ask for the newer interpreter', gotchas });
  expect(wider).toMatchObject({
    kind: 'supersede',
    title: 'Ask for the newer interpreter',
    proposedSkill: { gotchas, steps: first.proposedSkill.steps },
    evidence: { kept: { from: first.id, parts: ['title', 'gotchas'], left: [] } },
    authors: [
      { part: 'title', number: 0, by: 'Rita Reviewer', kept: true },
      { part: 'gotchas', number: 1, by: 'Rita Reviewer', kept: true },
    ],
  });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  const page = decoded((await reader.get(`/review/${wider.id}`)).text);
  expect(page).toContain('Kept from the edit of Rita Reviewer: title, gotcha 1');

  // Without news nothing changes, and the version after the next one follows the same person.
  await app.admin.evolver.run(false);
  expect(await app.admin.proposals.show(wider.id)).toMatchObject({ revision: wider.revision, authors: wider.authors });

  // An edit answers for the whole text.
  const { id, artifactSha256, proposedSkill } = wider;
  await app.admin.proposals.edit(id, { artifactSha256, proposedSkill: { ...proposedSkill, gotchas: [] } });
  const edited = await app.admin.proposals.show(id);
  expect(edited.evidence.kept).toBeUndefined();
  expect(edited.authors).toEqual([{ part: 'title', number: 0, by: 'Rita Reviewer' }]);
});

it('a text that the new evidence does not support gives way to the words of the writer, and the evidence says why', async () => {
  const steps = ['Run `python3 --isolated manage.py check`.'];
  const [first, wider] = await widened({ steps });
  expect(first.proposedSkill.steps).toEqual(steps);
  expect(wider.proposedSkill.steps.join()).not.toContain('--isolated');
  expect(wider).toMatchObject({
    authors: [],
    evidence: { kept: { parts: [], left: [{ part: 'steps', reason: expect.stringContaining('--isolated') }] } },
  });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect(decoded((await reader.get(`/review/${wider.id}`)).text)).toContain('Not kept: step, because');
});
