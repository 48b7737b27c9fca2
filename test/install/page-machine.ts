import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { benchServerUrl } from '../../src/platform/config/environment.js';
import type { InstalledProgram } from './installed-program.js';
import { canIsolate } from './isolation.js';
import { finished } from './packed-program.js';
import type { Need } from './page.js';
import type { PageHome } from './page-session.js';

/** The address in the pages. The runner cannot move a server elsewhere, because a reader does not either. */
const DEFAULT_PORT = 4747;
/** Settings of npm that are those of the machine and not of a person: without them it would download everything again. */
const NPM_SETTINGS = ['cache', 'registry'] as const;

/** Returns why this machine cannot run blocks with the need; undefined if it can. */
export function missing(need: Need): string | undefined {
  const works = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  switch (need) {
    case 'docker':
      return works('docker', 'info') ? undefined : 'no container engine answers';
    case 'systemd':
      return works('systemctl', 'is-system-running', '--quiet') ? undefined : 'systemd does not run this machine';
    case 'root':
      return canIsolate(tmpdir()) ? undefined : 'needs root, and unshare to keep changes away from this machine';
    case 'postgresql':
      return benchServerUrl() === undefined ? 'TEST_DATABASE_URL is not set' : undefined;
    case 'internet':
      return works('npm', 'ping', '--fetch-timeout=5000', '--fetch-retries=0')
        ? undefined
        : 'the package registry does not answer';
    case 'claude':
      return works('claude', '--version') ? undefined : 'Claude Code is not installed';
  }
}

/** An empty home with the tarball in its current folder and the variables of a new terminal. */
export async function pageHome(program: InstalledProgram, databaseUrl: string | undefined): Promise<PageHome> {
  const { cwd, environment } = program.newHome();
  copyFileSync(program.tarball, join(cwd, basename(program.tarball)));
  const folder = dirname(cwd);
  const npm = await Promise.all(NPM_SETTINGS.map(npmSetting));
  return {
    folder,
    cwd,
    env: {
      ...environment,
      ...Object.fromEntries(npm),
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
    },
    databaseUrl,
  };
}

async function npmSetting(name: string): Promise<[string, string]> {
  const { stdout } = await finished('npm', ['config', 'get', name]);
  return [`npm_config_${name}`, stdout.trim()];
}

/** Throws if another program listens where the pages start their server. */
export async function expectFreePort(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new Error(`port ${DEFAULT_PORT} is in use: stop the server that listens there`)));
    server.listen(DEFAULT_PORT, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
