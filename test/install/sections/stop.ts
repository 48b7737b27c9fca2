import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionReport } from '../../../src/capture/report/execution-report.schema.js';
import { importFiles } from '../../../src/cli/commands/import.js';
import { transcriptFiles } from '../../../src/cli/sources/transcript-files.js';
import { Guildbook } from '../../../src/client/guildbook.js';
import { benchServerUrl } from '../../../src/platform/config/environment.js';
import { readAdminToken } from '../../support/admin-token.js';
import { run as ran, report } from '../../support/reports.js';
import { createPlainDatabase } from '../../support/server-database.js';
import { type Checks, expectSame, secondsSince } from '../checks.js';
import { type Home, installedProgram } from '../installed-program.js';

export const isQuick = true;

const CLIENTS = 4;
/** How long reports arrive before the signal. */
const LOAD_MS = 1_500;

/** Stops a server that works, starts it again, and looks for everything that was answered with success. */
export async function run(checks: Checks): Promise<void> {
  const server = benchServerUrl();
  await stopAndLook(checks, 'embedded', undefined);
  if (server === undefined) return checks.skip('a stop on PostgreSQL', 'TEST_DATABASE_URL is not set');
  const database = await createPlainDatabase(server);
  try {
    await stopAndLook(checks, 'PostgreSQL', database.url);
  } finally {
    await database.drop();
  }
}

interface SignedIn {
  readonly server: string;
  readonly token: string;
  readonly client: Guildbook;
}

/** What the clients know: each answer that was a success. */
interface Answered {
  readonly reports: ExecutionReport[];
  approved: boolean;
  /** Answers other than success and 503, which no client may get. */
  readonly wrong: string[];
}

async function stopAndLook(checks: Checks, name: string, url: string | undefined): Promise<void> {
  const program = await installedProgram();
  const home = program.newHome();
  const env = { GUILDBOOK_PORT: '0', ...(url === undefined ? {} : { DATABASE_URL: url }) };
  const first = program.start(['serve'], { home, env });
  const signedIn = await administrator(await first.listening(), home);
  const { client: admin, server } = signedIn;
  const fleet = join(program.packageFolder, 'examples', 'sample-fleet');
  await importFiles(admin, await transcriptFiles([fleet]), { agentPer: 'project' });
  await admin.evolver.run(false);
  const [proposal] = (await admin.proposals.list()).items;
  if (proposal === undefined) throw new Error('the sample fleet gave no proposal');
  const { token } = await admin.agents.add({ name: 'stopped-bot', owner: 'platform' });

  const answered: Answered = { reports: [], approved: false, wrong: [] };
  const work = [
    ...Array.from({ length: CLIENTS }, (_, client) => reportUntilGone(server, token, client, answered)),
    cyclesUntilGone(signedIn, answered),
    approveLater(signedIn, proposal, answered),
  ];
  await sleep(LOAD_MS);
  const began = performance.now();
  await checks.check(`${name}: SIGTERM ends a working server by the signal, also if it comes twice`, async () => {
    const stopping = first.stop('SIGTERM');
    await sleep(30);
    if (first.isRunning) process.kill(first.pid, 'SIGTERM');
    expectSame(await stopping, 'SIGTERM', `end of the process (${first.log})`);
  });
  checks.figure(`${name}StopSeconds`, secondsSince(began));
  await Promise.all(work);
  checks.figure(`${name}Reports`, answered.reports.length);
  await checks.check(`${name}: a client got success, 503 or no answer, and nothing else`, () =>
    expectSame(answered.wrong, [], 'other answers'),
  );
  const second = program.start(['serve'], { home, env });
  try {
    const address = await second.listening();
    const again = new Guildbook({ server: address, token: signedIn.token });
    const agent = new Guildbook({ server: address, token });
    await checks.check(`${name}: every report that was answered with success is stored, once`, () =>
      expectStored(agent, again, answered),
    );
    await checks.check(`${name}: the decision is one commit`, () => expectOneCommit(again, home, proposal, answered));
    await checks.check(`${name}: the journal is intact`, async () => {
      expectSame((await again.journal.verify()).intact, true, 'intact');
    });
  } finally {
    await second.stop();
  }
}

/** The administrator of a first start. The sign-in outlives the process. */
async function administrator(server: string, { home }: Home): Promise<SignedIn> {
  const oneTime = readAdminToken(join(home, '.local', 'share', 'guildbook', 'database'));
  if (oneTime === undefined) throw new Error('the first start wrote no token');
  const { token } = await new Guildbook({ server }).signIn(oneTime);
  return { server, token, client: new Guildbook({ server, token }) };
}

async function reportUntilGone(server: string, token: string, client: number, answered: Answered): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `stop-${client}-${n}`;
    const body = report({
      executionId: id,
      taskId: id,
      toolCalls: [ran('make all', 'make: *** No rule'), ran('make')],
    });
    const response = await answerOf(`${server}/v1/executions`, token, body);
    if (response === undefined) return;
    if (response === 202) answered.reports.push(body);
    else if (response !== 503) answered.wrong.push(`report: ${response}`);
    // Below the limit of one agent, which is 100 requests a second.
    await sleep(30);
  }
}

/** The status; undefined if the connection was refused or cut. */
async function answerOf(url: string, token: string, body: unknown): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // A success counts once it was read whole.
    await response.text();
    return response.status;
  } catch {
    return undefined;
  }
}

async function cyclesUntilGone({ server, token }: SignedIn, { wrong }: Answered): Promise<void> {
  for (;;) {
    const status = await answerOf(`${server}/v1/evolver/cycles`, token, { dryRun: false });
    if (status === undefined) return;
    // 409: a cycle is running already.
    if (![200, 201, 202, 409, 503].includes(status)) wrong.push(`cycle: ${status}`);
    await sleep(100);
  }
}

/** Approves shortly before the signal, so that the publication is not done when it comes. */
async function approveLater(
  { server, token }: SignedIn,
  { id, artifactSha256 }: { readonly id: string; readonly artifactSha256: string },
  answered: Answered,
): Promise<void> {
  await sleep(LOAD_MS - 20);
  const status = await answerOf(`${server}/v1/proposals/${id}/approve`, token, { artifactSha256 });
  answered.approved = status === 200 || status === 201;
}

/** A report that is sent again is recognised, so a stored one answers as a duplicate. */
async function expectStored(agent: Guildbook, admin: Guildbook, { reports }: Answered): Promise<void> {
  if (reports.length === 0) throw new Error('no report was answered before the stop');
  const before = (await admin.executions.status()).executions;
  const lost: string[] = [];
  for (const one of reports) if (!(await agent.executions.report(one)).duplicate) lost.push(one.executionId);
  expectSame(lost, [], 'lost reports');
  expectSame((await admin.executions.status()).executions, before, 'executions after sending all again');
}

async function expectOneCommit(
  admin: Guildbook,
  { home }: Home,
  {
    id,
    artifactSha256,
    skillName,
  }: { readonly id: string; readonly artifactSha256: string; readonly skillName: string },
  { approved }: Answered,
): Promise<void> {
  const { state } = await admin.proposals.show(id);
  if (approved) expectSame(state, 'approved', 'state of an approval that was answered');
  else if (state === 'pending') await admin.proposals.approve(id, artifactSha256);
  const deadline = performance.now() + 60_000;
  while ((await admin.skills.show(skillName)).publication.commit === null) {
    if (performance.now() > deadline) throw new Error('the skill was not published');
    await sleep(100);
  }
  const repository = join(home, '.local', 'share', 'guildbook', 'skills');
  const log = execFileSync('git', ['-C', repository, 'log', '--format=%s', '--', skillName], { encoding: 'utf8' });
  expectSame(log.trim().split('\n').length, 1, `commits of ${skillName}`);
}
