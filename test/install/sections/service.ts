import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT, SETTINGS } from '../../../src/platform/config/config.js';
import { benchServerUrl } from '../../../src/platform/config/environment.js';
import { secretFileVariable } from '../../../src/platform/config/secret-files.js';
import type { Setting } from '../../../src/platform/config/setting.js';
import { VERSION } from '../../../src/platform/config/version.js';
import { createPlainDatabase } from '../../support/server-database.js';
import { type Checks, expectSame, expectText } from '../checks.js';
import { expectHardened } from '../compose-file.js';
import { documentedDatabase, documentedRoleSql } from '../documented-database.js';
import { type InstalledProgram, installedProgram } from '../installed-program.js';
import { findProgram, runProgram, tryProgram } from '../programs.js';

const DEPLOY = join(PROJECT_ROOT, 'deploy');
/** `systemd-analyze security` rates exposure from 0 to 10, in tenths here; below 2.0 it says OK. */
const MAX_EXPOSURE = 20;
const Ready = z.object({ roles: z.string() });

export const isQuick = true;

/** What an operator takes from deploy/: units, compose file, scripts, and the login at PostgreSQL. */
export async function run(checks: Checks): Promise<void> {
  const program = await installedProgram();
  await verifyUnits(checks, program);
  await checks.check('the compose file runs everything without privileges and keeps no secret', () =>
    expectHardened(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), VERSION),
  );
  await checks.check('make-secrets.sh writes secrets that the server takes, and keeps them', () => expectSecrets());
  await checks.check('every setting that deploy/ names exists', () => expectKnownSettings());
  await checkScripts(checks);
  const server = benchServerUrl();
  if (server === undefined) return checks.skip('the role of background work', 'TEST_DATABASE_URL is not set');
  if (findProgram('psql') === undefined) return checks.skip('create-database.sh', 'psql is not installed');
  await checks.check('the database of create-database.sh has the role of background work in force', async () => {
    const database = await documentedDatabase(server);
    await expectRoleInForce(program, database.url).finally(() => database.drop());
  });
  await checks.check('the SQL of docs/deploy.md puts the role into force for an existing login', async () => {
    const database = await createPlainDatabase(server);
    try {
      for (const statement of documentedRoleSql(new URL(database.url).pathname.slice(1), database.login))
        await runAsAdministrator(server, statement);
      await expectRoleInForce(program, database.url);
    } finally {
      await database.drop();
    }
  });
}

async function verifyUnits(checks: Checks, program: InstalledProgram): Promise<void> {
  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) return checks.skip('systemd-analyze verify', 'systemd is not installed');
  checks.skip('a start by systemd', 'the units are verified, and no systemd runs the tests');
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-units-'));
  try {
    const units = readdirSync(DEPLOY).filter((file) => /\.(service|timer)$/.test(file));
    // The program is elsewhere than the unit says; the verification looks for it.
    for (const unit of units) {
      const text = readFileSync(join(DEPLOY, unit), 'utf8').replaceAll('/usr/local/bin/guildbook', program.bin);
      writeFileSync(join(folder, unit), text);
    }
    for (const unit of units)
      await checks.check(`systemd-analyze verifies ${unit} without a warning`, () => {
        const { status, output } = tryProgram(analyze, ['verify', '--man=no', join(folder, unit)]);
        expectSame({ status, output }, { status: 0, output: '' }, unit);
      });
    for (const unit of units.filter((name) => name.endsWith('.service')))
      await checks.check(`systemd-analyze finds ${unit} little exposed`, () => {
        const options = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, '--no-pager'];
        const text = runProgram(analyze, [...options, join(folder, unit)]);
        checks.figure(`exposure of ${unit}`, Number(/exposure level for \S+: ([\d.]+)/.exec(text)?.[1]));
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the script twice on a copy: the second run must change nothing. */
function expectSecrets(): void {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-secrets-'));
  try {
    const script = join(folder, 'make-secrets.sh');
    writeFileSync(script, readFileSync(join(DEPLOY, 'make-secrets.sh')));
    chmodSync(script, 0o755);
    runProgram(script, []);
    const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
    const names = ['postgres-password', 'database-password', 'database-url', 'admin-token', 'journal-key.pem'];
    const first = names.map(secret);
    expectSame(SETTINGS.databaseUrl.schema.safeParse(secret('database-url')).success, true, 'the address is allowed');
    expectSame(new URL(secret('database-url')).password, secret('database-password'), 'the password in the address');
    expectSame(SETTINGS.adminToken.schema.safeParse(secret('admin-token')).success, true, 'the token is allowed');
    expectText(
      runProgram('openssl', ['pkey', '-in', join(folder, 'secrets', 'journal-key.pem'), '-text']),
      'ED25519',
      'key',
    );
    runProgram(script, []);
    expectSame(names.map(secret), first, 'the secrets after a second run');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function expectKnownSettings(): void {
  const known = Object.values<Setting>(SETTINGS).flatMap((setting) => [setting.env, secretFileVariable(setting)]);
  // A file is itself what this setting names.
  const files = filesOfDeploy();
  const unknown = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bGUILDBOOK_[A-Z_]+/g)]
      .map(([name]) => name)
      .filter((name) => !known.includes(name))
      .map((name) => `${file}: ${name}`),
  );
  expectSame(unknown, [], 'settings that do not exist');
}

async function checkScripts(checks: Checks): Promise<void> {
  const scripts = filesOfDeploy().filter((file) => file.endsWith('.sh'));
  await checks.check('bash parses the scripts', () => {
    for (const script of scripts) runProgram('bash', ['-n', script]);
  });
  const shellcheck = findProgram('shellcheck');
  if (shellcheck === undefined) return checks.skip('shellcheck', 'it is not installed');
  await checks.check('shellcheck finds nothing in the scripts', () => runProgram(shellcheck, scripts));
}

function filesOfDeploy(): string[] {
  return readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('secrets'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** As the unit does: the address is in the file of settings. */
async function expectRoleInForce(program: InstalledProgram, url: string): Promise<void> {
  const home = program.newHome();
  const settings = join(home.home, 'server.env');
  writeFileSync(settings, `DATABASE_URL=${url}\nGUILDBOOK_PORT=0\n`, { mode: 0o600 });
  const server = program.start(['serve', '--settings', settings], { home });
  try {
    const { roles } = Ready.parse(await (await fetch(`${await server.listening()}/readyz`)).json());
    expectSame(roles, 'in force', 'the roles in /readyz');
  } finally {
    await server.stop();
  }
  const asked = 'SELECT rolsuper OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = current_user';
  expectSame(runProgram('psql', ['--no-psqlrc', '-tAc', asked, url]).trim(), 'f', 'the privileges of the login');
}

async function runAsAdministrator(server: string, sql: string): Promise<void> {
  runProgram('psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '-c', sql, server]);
}
