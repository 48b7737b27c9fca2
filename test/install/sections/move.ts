import { join } from 'node:path';
import { benchServerUrl } from '../../../src/platform/config/environment.js';
import { createDatabaseOn } from '../../support/server-database.js';
import { type Checks, expectSame, expectText } from '../checks.js';
import { FilledServer } from '../filled-server.js';
import { installedProgram } from '../installed-program.js';
import { gitLog } from './backup.js';

export const isQuick = true;

export async function run(checks: Checks): Promise<void> {
  const address = benchServerUrl();
  if (address === undefined) return checks.skip('moving to PostgreSQL', 'TEST_DATABASE_URL is not set');
  const program = await installedProgram();
  const target = await createDatabaseOn(address);
  try {
    await moveAndBack(checks, program, target.url);
  } finally {
    await target.drop();
  }
}

async function moveAndBack(
  checks: Checks,
  program: Awaited<ReturnType<typeof installedProgram>>,
  url: string,
): Promise<void> {
  const home = program.newHome();
  const embedded = new FilledServer(program, home);
  const moved = new FilledServer(program, home, { DATABASE_URL: url });
  await checks.check('a server with the embedded database publishes a skill', async () => {
    await embedded.start();
    await embedded.fill();
    await embedded.stop();
  });
  const rows = await checks.check('one command moves it, and the second time is refused', async () => {
    const result = JSON.parse(await moved.machine('--json', 'move'));
    const again = await moved.tried('move');
    expectSame(again.code, 1, 'exit code');
    expectText(again.stderr, /is in use: its table .* has rows/, 'message');
    return result.rows;
  });
  const backup = join(home.cwd, 'backup');
  await checks.check('the server goes on with PostgreSQL, and is backed up while it works', async () => {
    moved.takePlaceOf(embedded);
    await moved.start();
    expectText(await moved.run('journal', 'verify'), /intact/, 'the journal');
    expectSame(await moved.hasPublished(), true, 'the skill is published');
    const written = JSON.parse(await moved.machine('--json', 'backup', backup));
    for (const table of ['execution', 'proposal', 'memory', 'publication'])
      expectSame(written.rows[table], rows[table], `rows of ${table}`);
    await moved.stop();
  });
  await checks.check('the backup moves it back into an embedded database', async () => {
    const back = new FilledServer(program, program.newHome());
    await back.machine('restore', backup);
    expectSame(gitLog(back.skills), gitLog(moved.skills), 'history of the skills');
    back.takePlaceOf(moved);
    await back.start();
    expectText(await back.run('journal', 'verify'), /intact/, 'the journal');
    await back.stop();
  });
}
