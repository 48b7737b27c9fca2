import type { CycleReport } from '../../src/evolve/cycle/cycles.schema.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { startTestApplication, type TestApplication } from './application.js';
import { pythonReport, reportPythonFleet } from './fleet.js';
import { ANSWERS, type MessagesApi } from './messages-api.js';
import { run } from './reports.js';

export const FLEET = ['ada', 'ben', 'cem'];

/** Another failure and its remedy. */
const FORGE = [
  run('forge build site.cfg', 'forge: the lock file is stale'),
  run('forge build site.cfg', 'forge: the lock file is stale'),
  run('forge build --fresh site.cfg'),
];

/** Starts an application with three agents whose reports taught the model nothing. The requests are cleared. */
export async function fleetWithModel(
  api: MessagesApi,
  settings: Record<string, string>,
  constants: Partial<Constants> = {},
): Promise<TestApplication> {
  const model = {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'scripted',
  };
  const app = await startTestApplication({ ...model, ...settings }, false, constants);
  await learnNothing(api, () => reportPythonFleet(app, FLEET));
  return app;
}

export async function learnNothing(api: MessagesApi, work: () => Promise<unknown>): Promise<void> {
  api.answer(ANSWERS.noUpdate());
  await work();
  api.forget();
}

/** Lets each agent report the other failure. */
export async function forgeFails(app: TestApplication): Promise<void> {
  for (const name of FLEET) {
    const { client } = await app.agent(`${name} of the forge`, `team of ${name}`);
    await client.executions.report({ ...pythonReport(app, `forge of ${name}`), toolCalls: FORGE });
  }
  await app.settled();
}

/** Runs one cycle and returns its report. */
export async function reportOf(app: TestApplication, dryRun = false): Promise<CycleReport> {
  const { report } = await app.admin.evolver.run(dryRun);
  if (!report) throw new Error('the cycle has no report');
  return report;
}
