import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from '../../../src/platform/config/environment.js';
import { type Checks, expectSame, expectText } from '../checks.js';
import { FilledServer } from '../filled-server.js';
import { installedProgram } from '../installed-program.js';

export const isQuick = true;

/** Milliseconds after which a restore is killed; the last is after its end on a fast machine. */
const KILLS = [300, 900, 1_500, 2_200, 3_000, 4_500];

export const gitLog = (folder: string): string =>
  execFileSync('git', ['-C', folder, 'log', '--format=%H %s', 'main'], {
    encoding: 'utf8',
    env: { PATH: programPath() },
  });

export async function run(checks: Checks): Promise<void> {
  const program = await installedProgram();
  const first = new FilledServer(program, program.newHome());
  const backup = join(first.home.cwd, 'backup');
  await checks.check('a server learns from the sample fleet and publishes a skill', async () => {
    await first.start();
    await first.fill();
  });
  await checks.check('a running server keeps the embedded database to itself', async () => {
    const { code, stderr } = await first.tried('backup', backup);
    expectSame(code, 1, 'exit code');
    expectText(stderr, /in use by another process.*[\s\S]*stopped/, 'message');
    expectSame(existsSync(backup), false, 'the folder');
  });
  await first.stop();
  const written = await checks.check('one command backs up everything, for its owner only', async () => {
    const result = JSON.parse(await first.machine('--json', 'backup', backup));
    expectSame(statSync(backup).mode & 0o777, 0o700, 'mode of the folder');
    for (const file of ['manifest.json', 'journal-key.pem', 'skills.bundle', 'database/execution.jsonl'])
      expectSame(statSync(join(backup, file)).mode & 0o777, 0o600, `mode of ${file}`);
    expectText((await first.tried('backup', backup)).stderr, 'exists. Name a folder that does not exist', 'message');
    return result;
  });
  const second = new FilledServer(program, program.newHome());
  await checks.check('another machine restores it with the same rows, commits and key', async () => {
    const restored = JSON.parse(await second.machine('--json', 'restore', backup));
    expectSame(restored.rows, written?.rows, 'rows');
    expectSame(restored.journal, written?.journal, 'head of the journal');
    expectSame(gitLog(second.skills), gitLog(first.skills), 'history of the skills');
    expectSame(
      readFileSync(join(second.data, 'journal-key.pem'), 'utf8'),
      readFileSync(join(first.data, 'journal-key.pem'), 'utf8'),
      'key',
    );
  });
  await checks.check('the restored server knows the session, and its journal verifies', async () => {
    second.takePlaceOf(first);
    await second.start();
    expectText(await second.run('journal', 'verify'), /intact/, 'the journal');
    expectSame(await second.hasPublished(), true, 'the skill is published');
    await second.stop();
  });
  await checks.check('a second restore is refused in one sentence', async () => {
    const { code, stderr } = await second.tried('restore', backup);
    expectSame(code, 1, 'exit code');
    expectText(
      stderr,
      /^Error: The database is in use: its table \w+ has rows\. Restore into an empty one: .*\n$/,
      'message',
    );
  });
  await checks.check('a restore is refused in one sentence beside a file in the skills folder', async () => {
    const used = new FilledServer(program, program.newHome());
    mkdirSync(used.skills, { recursive: true });
    writeFileSync(join(used.skills, 'notes.txt'), 'notes');
    const { code, stderr } = await used.tried('restore', backup);
    expectSame(code, 1, 'exit code');
    expectText(stderr, /^Error: \S+skills is not empty\. Move it away.*\n$/, 'message');
    expectSame(readdirSync(used.data), ['skills'], 'what is there');
  });
  const kills = checks.quick ? KILLS.slice(1, 3) : KILLS;
  await checks.check(`a restore that is killed can be repeated (${kills.length} kills)`, async () => {
    for (const after of kills) {
      const machine = new FilledServer(program, program.newHome());
      const killed = program.start(['restore', backup], { home: machine.home });
      await Promise.race([sleep(after), killed.stop('SIGCONT')]);
      const ended = await killed.stop('SIGKILL');
      if (ended === 0) continue;
      const again = await machine.tried('restore', backup);
      // Killed after everything was in its place: then it is complete.
      if (again.code !== 0) expectText(again.stderr, /is in use|is not empty/, `after ${after} ms`);
      expectSame(gitLog(machine.skills), gitLog(first.skills), `history after ${after} ms`);
      const check = JSON.parse(await machine.machine('--json', 'backup', join(machine.home.cwd, 'again')));
      expectSame(check.rows, written?.rows, `rows after ${after} ms`);
      expectSame(
        readdirSync(machine.data).filter((name) => name.includes('restoring')),
        [],
        'what is left',
      );
      rmSync(machine.data, { recursive: true });
    }
  });
}
