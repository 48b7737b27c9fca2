import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './progress.mjs';
import { digest, hasStamp, ROOT, writeStamp } from './stamp.mjs';

const STAMP = 'node_modules/.guildbook-setup';

/** node_modules as package-lock.json says. `npm ci` removes the folder first, and the stamp with it. */
export async function installDependencies() {
  const lock = digest(['package-lock.json']);
  if (hasStamp(STAMP, lock)) return;
  if (!isInstalledAlready()) {
    // NODE_ENV=production would leave out the compiler.
    const args = ['ci', '--no-audit', '--no-fund', '--include=dev'];
    const [command, ...first] = npm();
    await runQuietly('installing dependencies (about half a minute)', command, [...first, ...args], { cwd: ROOT });
  }
  writeStamp(STAMP, lock);
}

/** The npm that runs us, if one does: it need not be on the PATH. */
function npm() {
  const running = process.env.npm_execpath ?? '';
  if (running.endsWith('npm-cli.js')) return [process.execPath, running];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** True after somebody's own `npm ci` or `npm install`: npm's record in node_modules has every version of the lock file. */
function isInstalledAlready() {
  const record = readJson('node_modules/.package-lock.json');
  if (record === undefined) return false;
  const wanted = Object.entries(readJson('package-lock.json').packages);
  return wanted.every(([path, { version, optional }]) => {
    if (path === '') return true;
    const installed = record.packages[path];
    // Optional packages are other platforms' binaries; npm leaves them out.
    return installed === undefined ? optional === true : installed.version === version;
  });
}

function readJson(file) {
  const path = join(ROOT, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
